/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/compute/kernel_times.h"
#include "blocks/base/buffer_fills.h"
#include <cmath>
#include <gnuradio/block.h>
#include <gnuradio/block_registry.h>
#include <set>

namespace gr::fringe {

namespace {

constexpr std::size_t timers = 16;

} // namespace

kernel_times::guard::~guard()
{
    try {
        if (d_timer) {
            d_timer->end(d_where);
        }
    } catch (const kernels::device_error&) {
        // The next call of the block reports it.
    }
}

kernel_times::guard kernel_times::measure(kernels::device_stream where)
{
    if (!d_on) {
        return guard(nullptr, where);
    }
    collect();
    ++d_calls;
    if (d_running == timers) {
        return guard(nullptr, where);
    }
    const std::size_t number = (d_first + d_running) % timers;
    if (number == d_timers.size()) {
        d_timers.push_back(d_on->make_timer());
    }
    d_timers[number]->begin(where);
    ++d_running;
    return guard(d_timers[number].get(), where);
}

// Of the timers that are running, those that have ended.
void kernel_times::collect()
{
    for (; d_running > 0; d_first = (d_first + 1) % timers, --d_running) {
        const auto took = d_timers[d_first]->seconds();
        if (!took) {
            return;
        }
        d_nanoseconds += static_cast<std::uint64_t>(std::lround(1e9 * *took));
        ++d_measured;
    }
}

double kernel_times::seconds() const
{
    const auto measured = static_cast<double>(d_measured.load());
    return measured > 0 ? 1e-9 * static_cast<double>(d_nanoseconds.load()) *
                              static_cast<double>(d_calls.load()) / measured
                        : 0;
}

std::vector<std::pair<std::string, double>> kernel_seconds(const std::string& edges)
{
    std::set<std::string> names;
    for (const buffer_fill& fill : buffer_fills(edges)) {
        for (const std::string& end : {fill.from, fill.to}) {
            names.insert(end.substr(0, end.rfind(':')));
        }
    }
    std::vector<std::pair<std::string, double>> all;
    for (const std::string& name : names) {
        try {
            const auto found = global_block_registry.block_lookup(pmt::mp(name));
            const auto* const block = dynamic_cast<const timed_block*>(found.get());
            if (block && block->times().on_device()) {
                all.emplace_back(name, block->times().seconds());
            }
        } catch (const std::exception&) { // it has gone
        }
    }
    return all;
}

} // namespace gr::fringe
