/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_DUMP_JOIN_H
#define INCLUDED_FRINGE_DUMP_JOIN_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Joins dumps of parts of the channels to dumps of all channels.
 * \ingroup fringe
 *
 * \details
 * Inputs 0 ... n - 1: visibilities [channel][baseline] of the channels of each part, in
 * items of as many channels as divide all parts and `channels_per_item`
 * (joined_channels()). Inputs n ... 2 n - 1: their weights.
 * Output 0: visibilities of all channels, `channels_per_item` an item; output 1: weights.
 *
 * The dumps of all parts must be of the same time: others end the data with a sentence. The
 * tags of a dump are those of its first part.
 *
 * Throws std::invalid_argument for no parts, empty ones, and channels_per_item that does not
 * divide the channels.
 */
class FRINGE_API dump_join : virtual public gr::block
{
public:
    typedef std::shared_ptr<dump_join> sptr;

    /*!
     * \param inputs number of inputs
     * \param channels number of channels of each part
     * \param channels_per_item channels in one output item
     */
    static sptr make(std::size_t inputs,
                     const std::vector<std::size_t>& channels,
                     std::size_t channels_per_item);

    //! Channels in the items of the parts: the largest number that divides all of these.
    static std::size_t joined_channels(const std::vector<std::size_t>& channels,
                                       std::size_t channels_per_item);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_DUMP_JOIN_H */
