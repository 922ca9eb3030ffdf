/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/kernel_counters.h"
#include <algorithm>

namespace gr::fringe {

kernel_counters::kernel_counters(const std::shared_ptr<kernels::device>& on,
                                 std::size_t count)
    : d_counts(on, count), d_known(count, 0)
{
    if (on) {
        const std::size_t bytes = count * sizeof(d_known[0]);
        on->fill(d_counts.there(), bytes, 0, bytes, 1);
    } else {
        std::fill_n(d_counts.there(), count, std::uint64_t(0));
    }
}

void kernel_counters::begin_copy() const
{
    d_counts.download(d_counts.size());
    d_copying = true;
}

void kernel_counters::end_copy() const
{
    d_known.assign(d_counts.here(), d_counts.here() + d_counts.size());
    d_copying = false;
}

std::vector<std::uint64_t> kernel_counters::read() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    try {
        begin_copy();
        d_counts.wait();
        end_copy();
    } catch (const kernels::device_error&) {
        // The block that counts has failed too, and reports it.
    }
    return d_known;
}

std::vector<std::uint64_t> kernel_counters::read_late() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    try {
        if (d_copying && d_counts.arrived()) {
            end_copy();
        }
        if (!d_copying) {
            begin_copy();
        }
        if (d_counts.arrived()) { // always so on the host
            end_copy();
        }
    } catch (const kernels::device_error&) {
        // The block that counts has failed too, and reports it.
    }
    return d_known;
}

} // namespace gr::fringe
