/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/loss_counter.h"
#include <numeric>
#include <pmt/pmt.h>

namespace gr::fringe {

namespace {

constexpr std::chrono::seconds pause{1};

const pmt::pmt_t& port()
{
    static const pmt::pmt_t name = pmt::mp("losses");
    return name;
}

} // namespace

loss_counter::loss_counter(gr::block& block,
                           const std::vector<std::string>& causes,
                           std::size_t inputs)
    : d_block(block), d_inputs(inputs)
{
    for (const std::string& cause : causes) {
        d_counts[cause].resize(inputs);
    }
    block.message_port_register_out(port());
}

void loss_counter::add(const std::string& cause, std::size_t input, std::uint64_t samples)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    auto& known = d_counts[cause];
    known.resize(d_inputs);
    known.at(input) += samples;
    d_changed = d_changed || samples > 0;
}

void loss_counter::set(const std::string& cause, std::vector<std::uint64_t> samples)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    auto& known = d_counts[cause];
    d_changed = d_changed || known != samples;
    known.swap(samples);
}

void loss_counter::tell(std::uint64_t samples)
{
    const auto now = clock::now();
    d_ended = false;
    if (d_changed && now - d_sent >= pause) {
        d_sent = now;
        send(samples);
    }
}

void loss_counter::tell_end(std::uint64_t samples)
{
    if (!d_ended) {
        d_ended = true;
        send(samples);
    }
}

void loss_counter::send(std::uint64_t samples)
{
    d_changed = false;
    pmt::pmt_t message = pmt::make_dict();
    message = pmt::dict_add(message, pmt::mp("samples"), pmt::from_uint64(samples));
    for (const auto& [cause, count] : by_cause()) {
        message = pmt::dict_add(
            message, pmt::mp(cause), pmt::init_u64vector(count.size(), count));
    }
    d_block.message_port_pub(port(), message);
}

loss_counter::counts loss_counter::by_cause() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_counts;
}

std::uint64_t loss_counter::total(const std::string& cause) const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const auto& count = d_counts.at(cause);
    return std::accumulate(count.begin(), count.end(), std::uint64_t(0));
}

} // namespace gr::fringe
