/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_CORNER_SLABS_H
#define INCLUDED_FRINGE_STAGES_CORNER_SLABS_H

#include "kernels/base/types.h"
#include <vector>

namespace gr::fringe {

//! Spectra of all inputs that several devices made, each those of some inputs, and that
//! several devices multiply, each some channels.
struct FRINGE_API corner_params {
    std::vector<std::size_t> inputs;   //!< of each device that made spectra
    std::vector<std::size_t> channels; //!< of each device that multiplies
    std::size_t block_spectra = 1;
    kernels::component component = kernels::component::i8;

    std::size_t all_inputs() const;
    std::size_t all_channels() const;
    //! The first of the inputs of device g.
    std::size_t first_input(std::size_t g) const;
    //! The first of the channels of device d.
    std::size_t first_channel(std::size_t d) const;
    //! Whether blocks in tensor tiles can be cut: parts of the inputs are whole groups of 8,
    //! and a part has as many planes as the whole.
    bool tiles_fit() const;
    //! Bytes of the block that device d multiplies.
    std::size_t bytes(std::size_t d, kernels::spectra_layout layout) const;
};

//! Rows of bytes from one block to another.
struct corner_slab {
    std::size_t from, from_pitch; //!< where the first row begins, and from row to row
    std::size_t to, to_pitch;
    std::size_t width, rows;
};

/*!
 * Returns the pieces by which the channels of device d come out of the block of device g
 * into its own.
 *
 * Blocks are [channel][input][time], so the channels are one piece of the block of g, and
 * the inputs of g a run within every channel of the block of d. In tensor tiles a row is the
 * groups of 8 inputs x 128 spectra of one channel, 128 spectra and plane.
 */
FRINGE_API std::vector<corner_slab> corner_slabs(const corner_params& p,
                                                 std::size_t g,
                                                 std::size_t d,
                                                 kernels::spectra_layout layout);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_CORNER_SLABS_H */
