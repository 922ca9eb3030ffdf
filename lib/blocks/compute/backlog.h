/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_BACKLOG_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_BACKLOG_H

#include "kernels/device/device.h"
#include <atomic>
#include <future>
#include <gnuradio/block.h>
#include <mutex>

namespace gr::fringe {

/*!
 * Whether a device still works on what a block has asked it for, or on what the blocks before
 * it have asked for since then. A block that had better take several items together waits for
 * them while that is so, and loses nothing: the device has enough to do, and may be about to
 * make these items. When the device has come to the end the block is woken, so that items never
 * wait for others that do not come.
 */
class backlog
{
public:
    explicit backlog(std::shared_ptr<kernels::device> on);
    ~backlog() { end(); }

    //! Kernels have been enqueued in the stream `compute` for this block, which is running.
    void add(const gr::block& owner);
    //! True until they are done, and all that is in that stream then.
    bool any() const { return d_waiting; }
    //! Waits until any() is false.
    void end();

private:
    void wait();
    bool idle();

    const std::shared_ptr<kernels::device> d_on;
    std::unique_ptr<kernels::device_event> d_done;
    std::mutex d_mutex;
    std::uint64_t d_added = 0;
    std::atomic<bool> d_waiting{false};
    std::future<void> d_thread;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_BACKLOG_H */
