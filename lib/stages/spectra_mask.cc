/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/spectra_mask.h"
#include <algorithm>

namespace gr::fringe {

spectra_mask::spectra_mask(std::size_t inputs, std::size_t points, unsigned taps)
    : d_inputs(inputs), d_points(points), d_taps(taps)
{
}

void spectra_mask::reset(std::uint64_t n)
{
    d_next = n;
    d_runs.clear();
}

void spectra_mask::add(const std::vector<invalid_run>& runs, std::uint64_t n)
{
    for (const invalid_run& r : runs) {
        if (r.input < d_inputs && r.count > 0) {
            d_runs.push_back({r.input, n + r.first, r.count});
        }
    }
}

std::vector<invalid_run> spectra_mask::take(std::size_t spectra)
{
    std::vector<invalid_run> out;
    const std::uint64_t end = d_next + spectra * d_points;
    for (const invalid_run& r : d_runs) {
        // Spectrum s is hit when s N < last + 1 and s N + taps N > first.
        const std::uint64_t run_end = r.first + r.count;
        const std::uint64_t window = d_taps * d_points;
        std::uint64_t first = 0;
        if (r.first >= d_next + window) {
            first = (r.first - d_next - window) / d_points + 1;
        }
        std::uint64_t last =
            run_end > d_next ? (run_end - d_next + d_points - 1) / d_points : 0;
        last = std::min<std::uint64_t>(last, spectra);
        if (first < last) {
            out.push_back({r.input, first, last - first});
        }
    }
    d_runs.erase(
        std::remove_if(d_runs.begin(),
                       d_runs.end(),
                       [&](const invalid_run& r) { return r.first + r.count <= end; }),
        d_runs.end());
    d_next = end;
    return out;
}

std::vector<invalid_run> spectra_mask::lost(const rows& some,
                                            const window_delays& delays,
                                            const std::vector<invalid_run>& invalid)
{
    add(delays.met_by_windows(invalid, some.origin, some.first, some.count), some.origin);
    auto runs = take(some.spectra);
    for (const invalid_run& r :
         delays.before(some.begin, some.first_sample, some.first, some.spectra)) {
        runs.push_back(r);
    }
    return runs;
}

} // namespace gr::fringe
