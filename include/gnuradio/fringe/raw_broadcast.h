/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_RAW_BROADCAST_H
#define INCLUDED_FRINGE_RAW_BROADCAST_H

#include <gnuradio/block.h>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * \brief Raw sample blocks from the host to several GPUs, over the host links of all of them.
 * \ingroup fringe
 *
 * \details
 * A raw block holds the samples of all inputs side by side, so every GPU needs all of it.
 * Each GPU copies its share of the bytes from the host, and the shares of the others from
 * those GPUs. So a block crosses a host link once in all, and the links between the GPUs,
 * which are several times as fast, do the rest. That pays only where the GPUs reach each
 * other.
 *
 * Input: items of `item_bytes` bytes. Output d: the same items, on GPU d. Tags pass.
 *
 * Throws std::invalid_argument for no GPUs, or an item over 2 GB.
 */
class FRINGE_API raw_broadcast : virtual public gr::block
{
public:
    typedef std::shared_ptr<raw_broadcast> sptr;

    /*!
     * \param item_bytes bytes of a raw block
     * \param devices "cuda:0", "cuda:1", ...; one may be there twice
     */
    static sptr make(std::size_t item_bytes, const std::vector<std::string>& devices);
};

//! Whether memory of each of these GPUs comes to each of the others by a link between the
//! two, and not through the host. Throws std::invalid_argument for words that are no GPU.
FRINGE_API bool devices_reach_each_other(const std::vector<std::string>& devices);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_RAW_BROADCAST_H */
