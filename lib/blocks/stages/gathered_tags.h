/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_GATHERED_TAGS_H
#define INCLUDED_FRINGE_BLOCKS_GATHERED_TAGS_H

#include "blocks/ports/stream_tags.h"

namespace gr::fringe {

/*!
 * The tags of a block of samples that comes in several items, as if it had come in one.
 *
 * It ends with its last item, with one that holds fewer samples than it has room for, and
 * before one with a time, a rate or a frequency of its own.
 */
class gathered_tags
{
public:
    //! Blocks of `items` items of `item_samples` samples of every input each.
    gathered_tags(std::size_t items, std::size_t item_samples);

    //! The next item has these tags. False when it begins another block, and so was not
    //! added: the one before is whole.
    bool add(const std::vector<tag_t>& tags);
    bool whole() const { return d_whole; }
    bool empty() const { return d_items_there == 0; }
    //! The tags of the block, of which the next call of add() begins another one.
    std::vector<tag_t> take();
    void clear();

private:
    const std::size_t d_items, d_item_samples;
    std::size_t d_items_there = 0;
    std::uint64_t d_samples = 0;
    bool d_whole = false;
    std::vector<invalid_run> d_invalid;
    std::vector<tag_t> d_tags; // others than `invalid` and `samples`
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_GATHERED_TAGS_H */
