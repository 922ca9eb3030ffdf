/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/kernel_counters.h"

namespace gr {
namespace fringe {

kernel_counters::kernel_counters(std::shared_ptr<kernels::device> on, std::size_t count)
    : d_on(std::move(on)), d_count(count), d_known(count, 0)
{
    if (d_on) {
        const std::size_t bytes = count * sizeof(std::uint64_t);
        d_data = {static_cast<std::uint64_t*>(d_on->allocate(bytes)),
                  [device = d_on](std::uint64_t* p) { device->release(p); }};
        d_on->fill(d_data.get(), bytes, 0, bytes, 1);
    } else {
        d_data = {new std::uint64_t[count](), std::default_delete<std::uint64_t[]>()};
    }
}

std::vector<std::uint64_t> kernel_counters::read() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    if (!d_on) {
        return {d_data.get(), d_data.get() + d_count};
    }
    try {
        // Copies to the device go on meanwhile: it would stand still until more have come.
        std::vector<std::uint64_t> values(d_count);
        const auto done = d_on->make_event();
        done->record(kernels::device_stream::compute);
        done->make_wait(kernels::device_stream::d2h);
        d_on->download(values.data(), d_data.get(), d_count * sizeof(values[0]));
        done->record(kernels::device_stream::d2h);
        done->wait();
        d_known = values;
    } catch (const kernels::device_error&) {
        // Whoever counts has failed too, and says so.
    }
    return d_known;
}

} // namespace fringe
} // namespace gr
