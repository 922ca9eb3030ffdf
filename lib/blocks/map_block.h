/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_MAP_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_MAP_BLOCK_H

#include "blocks/device_block.h"

namespace gr {
namespace fringe {

//! A block that makes at most one item of every item it takes: the scheduling that unpack
//! and channelizer share.
class map_block : public device_block
{
public:
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    explicit map_block(std::shared_ptr<kernels::device> on);

    //! Works on input item number `item`; true when it has made output item number
    //! `out_item` of it.
    virtual bool
    map(const void* in, std::uint64_t item, void* out, std::uint64_t out_item) = 0;
    //! True for a block that may make one item more when the data have ended.
    virtual bool has_last_item() const { return false; }
    //! Makes it; false when there is nothing left to say.
    virtual bool map_end(void*, std::uint64_t) { return false; }

private:
    int map_items(int space, int available, const void* in, void* out);
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_MAP_BLOCK_H */
