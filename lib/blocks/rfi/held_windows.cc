/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/held_windows.h"
#include <algorithm>

namespace gr::fringe {

bool held_windows::starts_anew(const item_tags& tags) const
{
    if (!d_time.started()) {
        return false;
    }
    if (tags.rx_freq && d_freq != 0 && *tags.rx_freq != d_freq) {
        return true;
    }
    return tags.rx_time &&
           !d_time.continues(*tags.rx_time, tags.rx_rate.value_or(d_time.rate()), d_next);
}

std::uint64_t held_windows::add(const item_tags& tags)
{
    if (tags.rx_time || !d_time.started()) {
        const double rate = tags.rx_rate.value_or(d_time.started() ? d_time.rate() : 1.0);
        d_next = d_time.begin(tags.rx_time.value_or(epoch()), rate, d_next);
    }
    d_freq = tags.rx_freq.value_or(d_freq);
    if (d_now.items == 0) {
        d_now.start = d_time.at(d_next);
        d_now.rate = d_time.rate();
        d_now.count.valid.assign(d_inputs, 0);
    }
    const std::uint64_t count =
        std::min<std::uint64_t>(tags.spectra.value_or(d_block_spectra), d_block_spectra);
    d_now.count.add(tags.invalid, 0, count);
    d_next += count;
    ++d_now.items;
    return count;
}

void held_windows::end()
{
    d_ended.push_back(std::move(d_now));
    d_now = {};
}

std::size_t held_windows::items() const
{
    std::size_t items = d_now.items;
    for (const held_window& w : d_ended) {
        items += w.items;
    }
    return items;
}

held_window held_windows::take()
{
    held_window first = std::move(d_ended.front());
    d_ended.pop_front();
    return first;
}

void held_windows::clear()
{
    d_now = {};
    d_ended.clear();
}

} // namespace gr::fringe
