/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/backlog.h"
#include <chrono>
#include <gnuradio/block_detail.h>
#include <thread>

namespace gr::fringe {

using kernels::device_stream;

backlog::backlog(std::shared_ptr<kernels::device> on) : d_on(std::move(on))
{
    if (d_on) {
        d_done = d_on->make_event();
    }
}

void backlog::add(const gr::block& owner)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_done->record(device_stream::compute);
    ++d_added;
    if (d_waiting) {
        return; // the thread sees that there is more
    }
    d_waiting = true;
    d_thread = std::async(std::launch::async, [this, scheduler = owner.detail()] {
        wait();
        scheduler->d_tpb.notify_msg();
    });
}

// The next call that asks the device for something reports what has failed on it.
void backlog::wait()
{
    for (;;) {
        std::uint64_t seen;
        {
            std::lock_guard<std::mutex> lock(d_mutex);
            seen = d_added;
        }
        bool failed = false, ended = false;
        try {
            d_done->wait();
            ended = idle();
        } catch (const kernels::device_error&) {
            failed = true;
        }
        std::lock_guard<std::mutex> lock(d_mutex);
        if (failed || (ended && seen == d_added)) {
            d_waiting = false;
            return;
        }
    }
}

// Whether the device comes to the end of the stream at once. If not, others have kernels there.
bool backlog::idle()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_done->record(device_stream::compute);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    return d_done->reached();
}

void backlog::end()
{
    if (d_thread.valid()) {
        d_thread.get();
    }
}

} // namespace gr::fringe
