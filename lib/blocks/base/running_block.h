/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RUNNING_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_RUNNING_BLOCK_H

#include <gnuradio/block_detail.h>
#include <mutex>
#include <utility>

namespace gr::fringe {

/*!
 * Lets threads of a block's own call its work() again, while a flowgraph runs and after it.
 *
 * Each run of a flowgraph gives the block another block_detail. block::detail() may be read by
 * the thread of the block alone, since start() of the next run replaces what it returns: a thread
 * that outlives stop() would copy a pointer that is being replaced.
 */
class running_block
{
public:
    //! From start(), with detail(), and from stop(), with null: in the thread of the block.
    void set(gr::block_detail_sptr detail)
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        std::swap(d_detail, detail);
    }

    //! From any thread. Does nothing where the block does not run.
    void wake()
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (d_detail) {
            d_detail->d_tpb.notify_msg();
        }
    }

private:
    std::mutex d_mutex;
    gr::block_detail_sptr d_detail;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RUNNING_BLOCK_H */
