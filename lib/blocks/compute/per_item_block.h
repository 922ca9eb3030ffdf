/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_PER_ITEM_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_PER_ITEM_BLOCK_H

#include "blocks/compute/compute_block.h"

namespace gr::fringe {

//! A block that makes at most one item of every item it takes: the scheduling that unpack
//! and channelizer share.
class per_item_block : public compute_block
{
public:
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    explicit per_item_block(std::shared_ptr<kernels::device> on);

    //! Returns whether the next item is there, of `available` in the ring; a block that
    //! gathers items does so here.
    virtual bool next_item(const void*, std::size_t available)
    {
        return d_in.ready(available);
    }
    //! Computes on input item number `item`; returns whether this gave output item number
    //! `out_item`.
    virtual bool compute_item(const void* in,
                              std::uint64_t item,
                              void* out,
                              std::uint64_t out_item) = 0;
    //! Returns true for a block that may make one item more when the data have ended.
    virtual bool has_last_item() const { return false; }
    //! Makes that item; returns false without one.
    virtual bool compute_last_item(void*, std::uint64_t) { return false; }

private:
    bool
    timed_item(const void* in, std::uint64_t item, void* out, std::uint64_t out_item);
    int compute_items(int space, int available, const void* in, void* out);
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_PER_ITEM_BLOCK_H */
