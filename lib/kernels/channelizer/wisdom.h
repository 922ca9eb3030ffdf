/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H

#include <functional>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::kernels {

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

//! What is known of plans in this process, as text for prefer_wisdom() of another one.
FRINGE_API std::string wisdom_text();
//! From now on plans are made by this text wherever it holds one, whatever the file says:
//! then processes on several machines of one kind make the same plans, hence the same bits.
//! What this version of FFTW, or this processor, cannot use does not count. "": by the file.
FRINGE_API void prefer_wisdom(const std::string& text);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_WISDOM_H */
