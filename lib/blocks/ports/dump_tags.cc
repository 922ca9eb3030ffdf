/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/dump_tags.h"

namespace gr::fringe {

dump_tags dump_tags::next(const item_tags& tags) const
{
    dump_tags d;
    d.timed = tags.interval.has_value();
    d.start = tags.rx_time.value_or(start.plus_seconds(interval));
    d.interval = tags.interval.value_or(interval > 0 ? interval : 1.0);
    d.exposure = tags.exposure.value_or(d.interval);
    d.freq = tags.rx_freq.value_or(freq);
    d.channel_width = tags.channel_width.value_or(channel_width);
    d.damaged = tags.damaged;
    return d;
}

std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> dump_tags::tags() const
{
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> all;
    all.emplace_back(tag::rx_freq(), pmt::from_double(freq));
    if (timed) {
        all.emplace_back(tag::rx_time(), tag::from_epoch(start));
        all.emplace_back(tag::interval(), pmt::from_double(interval));
        all.emplace_back(tag::exposure(), pmt::from_double(exposure));
    }
    if (channel_width > 0) {
        all.emplace_back(tag::channel_width(), pmt::from_double(channel_width));
    }
    if (damaged) {
        all.emplace_back(tag::damaged(), damaged);
    }
    return all;
}

} // namespace gr::fringe
