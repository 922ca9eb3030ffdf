/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H

#include <functional>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Makes a plan of single precision with FFTW_MEASURE: make(flags) plans with the flags it
 * is given and returns null when there is no such plan.
 *
 * What was measured is kept in the user's cache directory, fftwf.wisdom in
 * $XDG_CACHE_HOME/gr-fringe or ~/.cache/gr-fringe: another process on this machine makes
 * the same plan, hence the same bits, at once. A measurement takes some tenths of a second
 * for usual lengths, and is given up after five seconds; then nothing is remembered. Where
 * the file cannot be read or written every process measures for itself.
 */
void* measured_plan(const std::function<void*(unsigned flags)>& make);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H */
