/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/packet_tags.h"
#include "blocks/ports/stream_tags.h"
#include <cmath>

namespace gr::fringe {

packet_tags::packet_tags(const io::packet_layout& layout,
                         std::size_t inputs,
                         double center_frequency,
                         std::size_t block_samples,
                         gr::logger_ptr logger)
    : d_layout(layout),
      d_inputs(inputs),
      d_given_freq(center_frequency != 0 ? center_frequency : layout.center_frequency()),
      d_block(block_samples),
      d_logger(std::move(logger))
{
}

// Called with the first packets, and with those of another time.
void packet_tags::begin_stretch(const io::packet_window::taken& item)
{
    d_start = item.start;
    d_since = 0;
    d_freq = d_given_freq != 0 ? d_given_freq : item.frequency;
    if (item.frequency != 0 && std::abs(d_freq - item.frequency) > 1) {
        d_logger->warn("the packets say a frequency of {:.12g} Hz; {:.12g} Hz, as given, "
                       "overrides it",
                       item.frequency,
                       d_freq);
    }
    if (!d_began) {
        d_logger->info("first data: {:d} inputs at {:.10g} {:s}/s, from {:s} on",
                       d_inputs,
                       d_layout.sample_rate(),
                       d_layout.spectra() ? "spectra" : "S",
                       d_start.iso(9));
    } else {
        d_logger->warn("the time of the packets has jumped: they go on at {:s}",
                       d_start.iso(9));
    }
    d_began = true;
}

std::vector<invalid_run>
packet_tags::invalid_runs(const io::packet_window::taken& item) const
{
    std::vector<invalid_run> runs;
    for (const auto& lost : item.lost) {
        for (std::size_t k = 0; k < d_layout.streams; ++k) {
            runs.push_back({lost.part * d_layout.streams + k, lost.first, lost.count});
        }
    }
    return runs;
}

std::vector<lost_spectra>
packet_tags::lost_spectra_of(const io::packet_window::taken& item) const
{
    const std::size_t blocks = d_layout.channel_blocks();
    std::vector<lost_spectra> all;
    for (const auto& lost : item.lost) {
        all.push_back({lost.part / blocks * d_layout.streams,
                       d_layout.streams,
                       lost.part % blocks * d_layout.channels,
                       d_layout.channels,
                       lost.first,
                       lost.count});
    }
    return all;
}

std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>>
packet_tags::of_item(const io::packet_window::taken& item, bool first_of_run)
{
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> tags;
    if (item.begins) {
        begin_stretch(item);
    }
    if (item.begins || first_of_run) {
        const auto ticks = d_since * static_cast<std::int64_t>(d_layout.ticks_per_sample);
        tags.emplace_back(tag::rx_time(),
                          tag::from_epoch(d_layout.instant(d_start, ticks)));
        tags.emplace_back(tag::rx_rate(), pmt::from_double(d_layout.sample_rate()));
        tags.emplace_back(tag::rx_freq(), pmt::from_double(d_freq));
    }
    if (item.samples < d_block) {
        tags.emplace_back(d_layout.spectra() ? tag::spectra() : tag::samples(),
                          pmt::from_uint64(item.samples));
    }
    if (!item.lost.empty()) {
        const bool whole = d_layout.channel_blocks() == 1; // in all channels
        tags.emplace_back(whole ? tag::invalid() : tag::lost(),
                          whole ? from_invalid(invalid_runs(item))
                                : from_lost(lost_spectra_of(item)));
    }
    d_since += static_cast<std::int64_t>(item.samples);
    return tags;
}

} // namespace gr::fringe
