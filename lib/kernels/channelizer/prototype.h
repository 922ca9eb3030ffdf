/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_PROTOTYPE_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_PROTOTYPE_H

#include "kernels/base/types.h"
#include <string>
#include <vector>

namespace gr::fringe::kernels {

//! The names of the windows, in the order of the table in prototype.cc. To add a window is
//! to add a line there.
FRINGE_API const std::vector<std::string>& window_names();

//! The names in a sentence: "rectangular, hann, ... or kaiser".
FRINGE_API std::string window_choices();

constexpr unsigned max_taps = 32;

/*!
 * The prototype low-pass filter of a polyphase filter bank, in double precision.
 *
 *     h[n] = g sinc((n - (L-1)/2) / N) w[n],   n = 0 ... L-1,  L = taps N
 *
 * N: transform length (points); w: the symmetric window of length L, one of
 * window_names(), "kaiser" with beta 8.6; sinc(x) = sin(pi x) / (pi x). g
 * makes the noise gain one: sum h^2 = N, so that white noise keeps its power whatever the
 * window. With taps = 1 there is no sinc: a plain windowed transform.
 *
 * Throws std::invalid_argument for taps outside 1 ... max_taps, points < 1 or an unknown
 * window.
 */
FRINGE_API std::vector<double>
prototype(std::size_t points, unsigned taps, const std::string& window);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_PROTOTYPE_H */
