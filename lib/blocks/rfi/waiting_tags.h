/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RFI_WAITING_TAGS_H
#define INCLUDED_FRINGE_BLOCKS_RFI_WAITING_TAGS_H

#include <deque>
#include <functional>
#include <gnuradio/tags.h>
#include <vector>

namespace gr::fringe {

//! Keeps the tags of items until the dump that the items make up is whole. GNU Radio drops
//! the tags of an item when the item is consumed, which is earlier.
class waiting_tags
{
public:
    //! Reads the tags of items first ... end - 1.
    using reader =
        std::function<std::vector<tag_t>(std::uint64_t first, std::uint64_t end)>;

    //! Keeps the tags of all items before item number `end` that were not read yet. Tags
    //! that say what a stream is are left out: the outputs have their own.
    void read_to(std::uint64_t end, const reader& tags_of);
    //! Returns the tags of the next `items` items. Their offsets count from the first of
    //! these items on.
    std::vector<tag_t> next(std::uint64_t items);
    //! Drops all tags; items are counted from 0 on again.
    void restart();

private:
    std::uint64_t d_read = 0, d_taken = 0; // items
    std::deque<tag_t> d_tags;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RFI_WAITING_TAGS_H */
