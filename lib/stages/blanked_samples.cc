/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/blanked_samples.h"
#include <algorithm>

namespace gr::fringe {

blanked_samples::blanked_samples(std::size_t points, unsigned taps)
    : d_points(static_cast<std::int64_t>(points)),
      d_window(static_cast<std::int64_t>(points * taps))
{
}

void blanked_samples::reset(std::uint64_t n)
{
    d_next = static_cast<std::int64_t>(n);
    d_runs.clear();
}

void blanked_samples::add(const std::vector<invalid_run>& runs,
                          std::uint64_t origin,
                          const window_delays& delays,
                          std::size_t s)
{
    for (const invalid_run& r : runs) {
        const std::int64_t shift = delays ? delays.shift(r.input, s) : 0;
        const auto first = static_cast<std::int64_t>(origin + r.first) - shift;
        const std::int64_t end = first + static_cast<std::int64_t>(r.count);
        // What the end of an item has cut goes on.
        const auto before =
            std::find_if(d_runs.rbegin(), d_runs.rend(), [&](const run& other) {
                return other.input == r.input;
            });
        if (before != d_runs.rend() && before->end == first) {
            before->end = end;
        } else {
            d_runs.push_back({r.input, first, end});
        }
    }
}

std::vector<invalid_run> blanked_samples::whole_windows(std::size_t spectra) const
{
    std::vector<invalid_run> whole;
    for (const run& r : d_runs) {
        const std::int64_t ahead = std::max<std::int64_t>(r.first - d_next, 0);
        const std::int64_t first = (ahead + d_points - 1) / d_points;
        const std::int64_t left = r.end - d_next - d_window;
        const std::int64_t end = std::min(left < 0 ? 0 : left / d_points + 1,
                                          static_cast<std::int64_t>(spectra));
        if (first < end) {
            whole.push_back({r.input,
                             static_cast<std::uint64_t>(first),
                             static_cast<std::uint64_t>(end - first)});
        }
    }
    return whole;
}

std::vector<invalid_run> blanked_samples::take(std::size_t spectra)
{
    std::vector<invalid_run> met;
    const auto count = static_cast<std::int64_t>(spectra);
    const std::int64_t end = count > 0 ? (count - 1) * d_points + d_window : 0;
    for (const run& r : d_runs) {
        const std::int64_t first = std::max<std::int64_t>(r.first - d_next, 0);
        const std::int64_t last = std::min(r.end - d_next, end);
        if (first < last) {
            met.push_back({r.input,
                           static_cast<std::uint64_t>(first),
                           static_cast<std::uint64_t>(last - first)});
        }
    }
    d_next += count * d_points;
    d_runs.erase(std::remove_if(d_runs.begin(),
                                d_runs.end(),
                                [&](const run& r) { return r.end <= d_next; }),
                 d_runs.end());
    return met;
}

} // namespace gr::fringe
