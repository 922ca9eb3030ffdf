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

namespace gr::fringe::kernels {

// The loops of the CPU X-engine for float32, and for few spectra a call of int8, compiled
// for several instruction sets: channels are summed side by side in the lanes of vectors.

constexpr std::size_t lanes = 8;
//! With more inputs than these, what is worked on at a time would not fit into the cache: then
//! it is as many as a tile has, with as many others. An even number.
constexpr std::size_t max_whole_inputs = 96, tile_inputs = 64;
//! Samples of a channel that are brought side by side at a time.
constexpr std::size_t max_staged = 32 * 2 * tile_inputs;

//! Some channels and spectra of a block, distances in values, two of a complex number.
template <class In>
struct lanes_block {
    const In* first;
    std::size_t input; //!< from an input to the next
    std::size_t apart; //!< of rows from a channel, of spectra from a spectrum to the next
};

/*!
 * `count` spectra of rows [channel][input][time]. The products are added to `sums` [channel / lanes][baseline][re, im][lane]. Lanes beyond the last channel
 * hold nothing of use.
 */
void add_rows_f32(const lanes_block<float>& block,
                  std::size_t inputs,
                  std::size_t count,
                  std::size_t channels,
                  float* sums);
//! The same, exact: the products of some spectra at a time are added up as float32, which
//! holds such integers, and the int32 sums hold the rest.
void add_rows_i8(const lanes_block<std::int8_t>& block,
                 std::size_t inputs,
                 std::size_t count,
                 std::size_t channels,
                 std::int32_t* sums);

//! The same of spectra [input][time][channel], as channelizers leave them.
void add_spectra_f32(const lanes_block<float>& block,
                     std::size_t inputs,
                     std::size_t count,
                     std::size_t channels,
                     float* sums);
void add_spectra_i8(const lanes_block<std::int8_t>& block,
                    std::size_t inputs,
                    std::size_t count,
                    std::size_t channels,
                    std::int32_t* sums);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_LANES_H */
