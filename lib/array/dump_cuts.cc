/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_cuts.h"
#include <algorithm>

namespace gr::fringe::array {

bool dump_cuts::set(long who, double seconds, std::uint64_t spectra, std::uint64_t n)
{
    const auto found = d_clocks.find(who);
    if (found != d_clocks.end() && found->second.seconds() == seconds &&
        found->second.spectra() == spectra) {
        return false;
    }
    dump_clock clock(seconds, spectra);
    clock.set_length(seconds, spectra, n);
    d_clocks.insert_or_assign(who, clock);
    return true;
}

void dump_cuts::keep(const std::set<long>& these)
{
    for (auto clock = d_clocks.begin(); clock != d_clocks.end();) {
        clock = these.count(clock->first) ? std::next(clock) : d_clocks.erase(clock);
    }
}

std::uint64_t
dump_cuts::end(const timeline& t, std::uint64_t n, std::uint64_t maximum) const
{
    std::uint64_t end = n + maximum;
    for (const auto& [who, clock] : d_clocks) {
        if (clock.spectra() > 0 || t.started()) {
            end = std::min(end, clock.first(t, clock.index(t, n) + 1));
        }
    }
    return std::max(end, n + 1);
}

} // namespace gr::fringe::array
