/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/kernel_counters.h"

namespace gr::fringe {

kernel_counters::kernel_counters(std::shared_ptr<kernels::device> on, std::size_t count)
    : d_on(std::move(on)), d_count(count), d_known(count, 0)
{
    if (d_on) {
        const std::size_t bytes = count * sizeof(std::uint64_t);
        d_data = {static_cast<std::uint64_t*>(d_on->allocate(bytes)),
                  [device = d_on](std::uint64_t* p) { device->release(p); }};
        d_on->fill(d_data.get(), bytes, 0, bytes, 1);
        d_copy = {static_cast<std::uint64_t*>(d_on->allocate_host(bytes)),
                  [device = d_on](std::uint64_t* p) { device->release_host(p); }};
        d_copied = d_on->make_event();
    } else {
        d_data = {new std::uint64_t[count](), std::default_delete<std::uint64_t[]>()};
    }
}

// Copies to the device go on meanwhile: it would stand still until more have come.
void kernel_counters::begin_copy() const
{
    d_copied->record(kernels::device_stream::compute);
    d_copied->make_wait(kernels::device_stream::d2h);
    d_on->download(d_copy.get(), d_data.get(), d_count * sizeof(d_known[0]));
    d_copied->record(kernels::device_stream::d2h);
    d_copying = true;
}

void kernel_counters::end_copy() const
{
    d_known.assign(d_copy.get(), d_copy.get() + d_count);
    d_copying = false;
}

std::vector<std::uint64_t> kernel_counters::read() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (!d_on) {
        return {d_data.get(), d_data.get() + d_count};
    }
    try {
        begin_copy();
        d_copied->wait();
        end_copy();
    } catch (const kernels::device_error&) {
        // The block that counts has failed too, and reports it.
    }
    return d_known;
}

std::vector<std::uint64_t> kernel_counters::read_late() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (!d_on) {
        return {d_data.get(), d_data.get() + d_count};
    }
    try {
        if (d_copying && d_copied->reached()) {
            end_copy();
        }
        if (!d_copying) {
            begin_copy();
        }
    } catch (const kernels::device_error&) {
        // The block that counts has failed too, and reports it.
    }
    return d_known;
}

} // namespace gr::fringe
