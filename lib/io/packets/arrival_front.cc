/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/arrival_front.h"
#include <algorithm>
#include <functional>

namespace gr::fringe::io {

arrival_front::arrival_front(std::size_t sources, std::size_t round)
    : d_round(std::max<std::size_t>(round, 1)), d_sources(sources)
{
}

void arrival_front::begin(std::int64_t slot)
{
    d_slot = slot;
    d_counting = d_ahead = 0;
    std::fill(d_sources.begin(), d_sources.end(), source_front{slot, 0, false});
}

void arrival_front::arrived(std::size_t source, std::int64_t slot)
{
    source_front& s = d_sources[source];
    if (!s.counts) {
        s.counts = true;
        ++d_counting;
        d_ahead += s.newest > d_slot;
    }
    if (slot > s.newest) {
        d_ahead += s.newest <= d_slot && slot > d_slot;
        s.newest = slot;
    }
    if (++s.in_round >= d_round) {
        end_round();
    }
    if (2 * d_ahead > d_counting) {
        move();
    }
}

std::int64_t arrival_front::lead(std::size_t source) const
{
    const source_front& s = d_sources[source];
    return s.counts ? std::max<std::int64_t>(s.newest - d_slot, 0) : 0;
}

// Sources that were silent in it count no longer.
void arrival_front::end_round()
{
    for (source_front& s : d_sources) {
        if (s.counts && s.in_round == 0) {
            s.counts = false;
            --d_counting;
            d_ahead -= s.newest > d_slot;
        }
        s.in_round = 0;
    }
}

void arrival_front::move()
{
    d_newest.clear();
    for (const source_front& s : d_sources) {
        if (s.counts) {
            d_newest.push_back(s.newest);
        }
    }
    const auto middle =
        d_newest.begin() + static_cast<std::ptrdiff_t>(d_newest.size() / 2);
    std::nth_element(d_newest.begin(), middle, d_newest.end(), std::greater<>());
    d_slot = *middle;
    d_ahead = static_cast<std::size_t>(std::count_if(
        d_newest.begin(), middle, [this](std::int64_t n) { return n > d_slot; }));
}

} // namespace gr::fringe::io
