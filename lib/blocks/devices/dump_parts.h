/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICES_DUMP_PARTS_H
#define INCLUDED_FRINGE_BLOCKS_DEVICES_DUMP_PARTS_H

#include "blocks/ports/stream_tags.h"
#include <vector>

namespace gr::fringe {

/*!
 * Which items of the parts of dumps belong together: those of the same time, one part of the
 * channels after the other.
 *
 * After a change of the flowgraph parts may lack a dump that others have: it was sent, and
 * lost, or nothing came for it. The other parts of such a dump are dropped.
 */
class dump_parts
{
public:
    //! `channels` of each part; `per_item` in an item of the whole, `per_part_item` in one of
    //! a part.
    dump_parts(std::vector<std::size_t> channels,
               std::size_t per_item,
               std::size_t per_part_item);

    std::size_t size() const { return d_channels.size(); }
    //! A run begins, with a new dump.
    void begin_run();
    //! The channel that comes next is the first of a dump.
    bool at_begin() const { return d_channel == 0; }
    //! Items that are needed of each part for the next item, or to go on dropping. Before a
    //! dump begins at least one of each.
    std::vector<std::size_t> items_wanted() const;
    //! The parts, in order, that the next item is made of.
    std::vector<std::size_t> next_item() const;
    //! The next item was made.
    void done();

    //! The next dump has parts with these tags. True when they belong together; false when
    //! some must be dropped. Throws std::runtime_error when parts do not belong together
    //! and the flowgraph was not changed, or times are not known.
    bool begin_dump(const std::vector<item_tags>& parts);
    //! Drops items of those that are there: increases `taken`. True when nothing is left to
    //! drop.
    bool drop(std::vector<std::size_t>& taken, const std::vector<std::size_t>& there);

private:
    bool drops() const;

    const std::vector<std::size_t> d_channels;
    const std::size_t d_per_item, d_per_part_item;
    std::vector<std::size_t> d_first; // channel of each part
    std::size_t d_all = 0;            // channels
    std::size_t d_channel = 0;        // that comes next
    std::vector<std::size_t> d_to_drop;
    bool d_begun = false;     // a dump has come, in this run or an earlier one
    bool d_restarted = false; // some had come before this run
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICES_DUMP_PARTS_H */
