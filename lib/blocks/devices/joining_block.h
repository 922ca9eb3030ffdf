/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DEVICES_JOINING_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_DEVICES_JOINING_BLOCK_H

#include "blocks/base/guarded_block.h"
#include "blocks/ports/stream_tags.h"
#include <vector>

namespace gr::fringe {

/*!
 * A block that makes one stream of the parts that several devices computed. Each part has an
 * input, parts of one time belong together, and the tags of the first one go on.
 */
class joining_block : public virtual gr::block, public guarded_block
{
public:
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! Does the work; returns the number of items that were made.
    virtual int join(int space,
                     const gr_vector_int& available,
                     const gr_vector_const_void_star& in,
                     const gr_vector_void_star& out) = 0;
    //! The tags of the next item of each part, behind the items that were taken.
    std::vector<item_tags> read_tags(const std::vector<std::size_t>& taken);
    //! Writes the tags of the first part, as read_tags() found them, to all outputs.
    void pass_tags(std::uint64_t out_item);

private:
    std::vector<tag_t> d_first;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DEVICES_JOINING_BLOCK_H */
