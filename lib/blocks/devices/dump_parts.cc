/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/devices/dump_parts.h"
#include <algorithm>
#include <stdexcept>

namespace gr::fringe {

dump_parts::dump_parts(std::vector<std::size_t> channels,
                       std::size_t per_item,
                       std::size_t per_part_item)
    : d_channels(std::move(channels)),
      d_per_item(per_item),
      d_per_part_item(per_part_item),
      d_to_drop(d_channels.size())
{
    for (const std::size_t some : d_channels) {
        d_first.push_back(d_all);
        d_all += some;
    }
}

void dump_parts::begin_run()
{
    d_channel = 0;
    d_restarted = d_begun;
    std::fill(d_to_drop.begin(), d_to_drop.end(), 0);
}

bool dump_parts::drops() const
{
    return std::any_of(d_to_drop.begin(), d_to_drop.end(), [](auto n) { return n > 0; });
}

std::vector<std::size_t> dump_parts::next_item() const
{
    std::vector<std::size_t> parts;
    for (std::size_t c = 0; c < d_per_item; c += d_per_part_item) {
        const auto next = std::upper_bound(d_first.begin(), d_first.end(), d_channel + c);
        parts.push_back(static_cast<std::size_t>(next - d_first.begin()) - 1);
    }
    return parts;
}

std::vector<std::size_t> dump_parts::items_wanted() const
{
    std::vector<std::size_t> wanted(size());
    if (drops()) {
        for (std::size_t k = 0; k < size(); ++k) {
            wanted[k] = d_to_drop[k] > 0;
        }
        return wanted;
    }
    for (const std::size_t part : next_item()) {
        ++wanted[part];
    }
    for (std::size_t& n : wanted) {
        n = std::max<std::size_t>(n, at_begin());
    }
    return wanted;
}

void dump_parts::done() { d_channel = (d_channel + d_per_item) % d_all; }

bool dump_parts::begin_dump(const std::vector<item_tags>& parts)
{
    const item_tags& first = parts.front();
    if (d_restarted && !first.rx_time) {
        throw std::runtime_error(
            "after a change of the flowgraph the parts of a dump are "
            "distinguished by their times, and the data have none");
    }
    if (std::all_of(parts.begin(), parts.end(), [&](const item_tags& t) {
            return t.rx_time == first.rx_time &&
                   (d_restarted || t.interval == first.interval);
        })) {
        d_begun = true;
        return true;
    }
    if (!d_restarted) {
        throw std::runtime_error("the dumps of its parts are not of the same time");
    }
    epoch latest = *first.rx_time;
    for (const item_tags& t : parts) {
        if (t.rx_time && t.rx_time->seconds_since(latest) > 0) {
            latest = *t.rx_time;
        }
    }
    for (std::size_t k = 0; k < size(); ++k) {
        if (!parts[k].rx_time || parts[k].rx_time->seconds_since(latest) < 0) {
            d_to_drop[k] = d_channels[k] / d_per_part_item;
        }
    }
    return false;
}

bool dump_parts::drop(std::vector<std::size_t>& taken,
                      const std::vector<std::size_t>& there)
{
    for (std::size_t k = 0; k < size(); ++k) {
        const std::size_t some = std::min(d_to_drop[k], there[k] - taken[k]);
        d_to_drop[k] -= some;
        taken[k] += some;
    }
    return !drops();
}

} // namespace gr::fringe
