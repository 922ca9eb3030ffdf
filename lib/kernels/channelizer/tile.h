/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_TILE_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_TILE_H

#include "kernels/channelizer/finish.h"

namespace gr::fringe::kernels {

//! Spectra of one input that are worked on together: about 128 KB, in runs of one to eight
//! cache lines along time.
std::size_t spectra_together(const channelizer_params& p);

/*!
 * Where spectra of one input collect for the layout channel_major. They stay in the second-level
 * cache until the corner turn writes them out in runs along time, multiplying them by what
 * they have in common while it is at it.
 */
class spectra_tile
{
public:
    explicit spectra_tile(const channelizer_params& p);

    //! Spectra of floats are rows of bins, requantized ones are in the order of channels.
    bin_rows rows() { return {d_memory.data(), d_stride * d_element}; }

    //! The first `count` spectra to `out`, [channel][time] with out_stride elements between
    //! channels. Factors and turns as in corner_turn_8(), of floats only.
    void turn(std::size_t count,
              const std::vector<run_of_bins>& runs,
              const row_factors& factors,
              const row_turn* turns,
              std::uint8_t* out,
              std::size_t out_stride) const;

private:
    const std::size_t d_channels;
    const std::size_t d_element; //!< bytes of a sample
    const std::size_t d_stride;  //!< elements
    aligned_vector<std::uint8_t> d_memory;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_TILE_H */
