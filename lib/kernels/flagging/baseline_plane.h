/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_BASELINE_PLANE_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_BASELINE_PLANE_H

#include "kernels/flagging/rfi_detector.h"
#include "kernels/flagging/weight_levels.h"
#include <gnuradio/fringe/flags.h>

namespace gr::fringe::kernels {

//! Baselines that are read out of the dumps together.
constexpr std::size_t planes_at_once = 8;

//! Cells with any of these flags are neither used nor searched.
constexpr std::uint8_t not_searched =
    bit(flag::lost) | bit(flag::bad_input) | bit(flag::mask) | bit(flag::kurtosis);

//! True for an autocorrelation.
bool is_power(std::size_t baseline, std::size_t inputs);

//! Reads baselines first ... first + count - 1 of all dumps as planes of |V|^(2/3), powers
//! as P^(1/3), as they would be with the usual weight. A value that is no number counts as
//! lost.
void read_planes(const rfi_window& w,
                 std::size_t baselines,
                 std::size_t inputs,
                 std::size_t first,
                 std::size_t count,
                 weight_levels& levels,
                 flag_plane* planes);

//! Adds what was found in a plane to the flags of the new dumps.
void write_found(const rfi_window& w,
                 std::size_t baselines,
                 std::size_t baseline,
                 const flag_plane& plane);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_BASELINE_PLANE_H */
