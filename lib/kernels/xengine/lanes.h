/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_LANES_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_LANES_H

#include <cstddef>
#include <cstdint>

namespace gr {
namespace fringe {
namespace kernels {

// The loops of the CPU X-engine for few spectra a call or not very many inputs, compiled
// for several instruction sets: channels are summed side by side in the lanes of vectors.

constexpr std::size_t lanes = 8;
//! What is worked on at a time would no longer fit into the cache.
constexpr std::size_t max_lane_inputs = 96;

/*!
 * Complex rows [channel][input][time] of `count` spectra, `stride` spectra apart; at most
 * max_lane_inputs. The products are added to `sums` [channel / lanes][baseline][re,
 * im][lane]. Lanes beyond the last channel hold nothing of use.
 */
void add_lanes_f32(const float* rows,
                   std::size_t inputs,
                   std::size_t stride,
                   std::size_t count,
                   std::size_t channels,
                   float* sums);
//! The same, exact: the products of some spectra at a time are added up as float32, which
//! holds such integers, and the int32 sums hold the rest.
void add_lanes_i8(const std::int8_t* rows,
                  std::size_t inputs,
                  std::size_t stride,
                  std::size_t count,
                  std::size_t channels,
                  std::int32_t* sums);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_LANES_H */
