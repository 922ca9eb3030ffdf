/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/rfi_report.h"
#include "blocks/ports/stream_tags.h"
#include <numeric>

namespace gr::fringe {

rfi_report::rfi_report(std::size_t channels) : d_channels(channels), d_window(channels)
{
    for (const std::string& cause : kernels::occupancy::causes()) {
        d_totals[cause] = 0;
    }
    d_totals["any"] = d_totals["all"] = 0;
}

void rfi_report::add(const std::uint8_t* flags, std::size_t baselines)
{
    d_window.add(flags, baselines);
    ++d_new_dumps;
}

pmt::pmt_t rfi_report::message(const epoch& start)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    pmt::pmt_t message = pmt::make_dict();
    message = pmt::dict_add(message, tag::rx_time(), tag::from_epoch(start));
    message = pmt::dict_add(message, pmt::mp("dumps"), pmt::from_uint64(d_new_dumps));
    const auto add = [&](const std::string& name,
                         const std::vector<std::uint64_t>& count) {
        const std::vector<float> part = d_window.part(count);
        message =
            pmt::dict_add(message, pmt::mp(name), pmt::init_f32vector(part.size(), part));
        d_totals[name] += std::accumulate(count.begin(), count.end(), std::uint64_t(0));
    };
    add("any", d_window.any());
    const auto& causes = kernels::occupancy::causes();
    for (std::size_t k = 0; k < causes.size(); ++k) {
        add(causes[k], d_window.of(k));
    }
    d_totals["all"] += d_window.seen() * d_channels;
    d_dumps += d_new_dumps;
    d_new_dumps = 0;
    d_window.clear();
    return message;
}

std::map<std::string, std::uint64_t> rfi_report::totals() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_totals;
}

std::uint64_t rfi_report::dumps() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_dumps;
}

} // namespace gr::fringe
