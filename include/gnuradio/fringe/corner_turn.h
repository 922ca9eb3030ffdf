/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CORNER_TURN_H
#define INCLUDED_FRINGE_CORNER_TURN_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Corner turn between GPUs: from all channels of some inputs to some channels of all
 * inputs.
 * \ingroup fringe
 *
 * \details
 * GPU g has made the spectra of a part of the inputs (channelizer with `part`). GPU d
 * multiplies a part of the channels. Every GPU copies, for its channels, the spectra of each
 * part of the inputs from the ring of the GPU that made them into its own ring; no kernel
 * runs, and nothing passes through the host where the GPUs reach each other.
 *
 * Input g: spectra [channel][input of part g][time], on GPU g.
 * Output d: spectra [channel of part d][input][time], on GPU d.
 *
 * An item goes out when all copies of it are done. Copies are asked for several items ahead.
 * The tags, which the channelizers write alike for all inputs, are those of input 0.
 *
 * Throws std::invalid_argument for parts that are not as many as the GPUs, or empty.
 */
class FRINGE_API corner_turn : virtual public gr::block
{
public:
    typedef std::shared_ptr<corner_turn> sptr;

    /*!
     * \param inputs number of inputs of each part
     * \param channels number of channels of each part
     * \param block_spectra spectra in one item
     * \param component "f32" or "i8"
     * \param devices "cuda:0", "cuda:1", ...: the GPU of each part; one may be there twice
     */
    static sptr make(const std::vector<std::size_t>& inputs,
                     const std::vector<std::size_t>& channels,
                     std::size_t block_spectra,
                     const std::string& component,
                     const std::vector<std::string>& devices);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_CORNER_TURN_H */
