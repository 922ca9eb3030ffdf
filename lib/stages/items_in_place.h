/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_ITEMS_IN_PLACE_H
#define INCLUDED_FRINGE_STAGES_ITEMS_IN_PLACE_H

#include "stages/stretch.h"
#include <deque>

namespace gr::fringe {

/*!
 * The items of an input that a block has taken and not consumed yet, because others read their
 * samples where they lie: in the ring of GNU Radio, which writes there again as soon as an item
 * is consumed. Items are consumed in their order.
 *
 * For the thread of the block; the blocks of samples may be released by any.
 */
class FRINGE_API items_in_place
{
public:
    //! The next item; the samples of `block` are in it.
    void read(const std::shared_ptr<raw_block>& block, const std::uint8_t* item);
    //! The next item was copied.
    void pass() { d_items.push_back(std::make_shared<item>()); }

    std::size_t size() const { return d_items.size(); }
    //! The oldest item is of no use any more.
    bool ready() const { return !d_items.empty() && !d_items.front()->in_use; }
    //! Forgets the items, from the oldest on, that are of no use any more; returns how many.
    std::size_t take_ready();
    //! Copies the samples that are still needed, so that all items are ready. Nobody may be
    //! reading them.
    void copy(buffer_pool& buffers, std::size_t item_bytes);

private:
    struct item {
        std::atomic<bool> in_use{false};
        std::weak_ptr<raw_block> block;
    };
    std::deque<std::shared_ptr<item>> d_items;
};

//! Copies an item for a block of samples. Another core reads them, when some megabytes more have
//! come.
FRINGE_API void copy_samples(raw_block& block,
                             const std::uint8_t* item,
                             std::size_t item_bytes,
                             buffer_pool& buffers);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_ITEMS_IN_PLACE_H */
