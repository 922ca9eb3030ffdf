/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/pulse_edges.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace gr::fringe {

namespace {

// Deviations of noise from which on a window has guards, and as far as they reach: of 2 they would be
// there by chance in a twentieth of the windows without edges.
constexpr double to_begin = 3, to_end = 2;

} // namespace

void pulse_edges::find_distances(const std::vector<char>& pulse)
{
    const std::size_t far = d_guard + 1, count = pulse.size();
    d_distances.assign(count, far);
    std::size_t behind = far, before = far;
    for (std::size_t n = 0; n < count; n++) {
        behind = pulse[n] ? 0 : std::min(behind + 1, far);
        d_distances[n] = behind;
    }
    for (std::size_t n = count; n-- > 0;) {
        before = pulse[n] ? 0 : std::min(before + 1, far);
        d_distances[n] = std::min(d_distances[n], before);
    }
}

std::size_t pulse_edges::needed(const std::vector<char>& pulse,
                                const std::vector<char>& above)
{
    find_distances(pulse);
    std::vector<double> samples(d_guard + 2), high(d_guard + 2);
    for (std::size_t n = 0; n < pulse.size(); n++) {
        samples[d_distances[n]] += 1;
        high[d_distances[n]] += above[n] != 0;
    }
    if (samples.back() == 0) {
        return d_guard; // pulses are everywhere
    }
    const double p = high.back() / samples.back();
    const auto shows = [&](double m, double k, double deviations) {
        return k - p * m > deviations * std::sqrt(p * (1 - p) * m);
    };
    double m = std::accumulate(samples.begin() + 1, samples.end() - 1, 0.0);
    double k = std::accumulate(high.begin() + 1, high.end() - 1, 0.0);
    if (!shows(samples[1], high[1], to_begin) && !shows(m, k, to_begin)) {
        return 0; // edges begin at the pulse
    }
    m = k = 0;
    for (std::size_t d = d_guard; d > 0; d--) {
        m += samples[d];
        k += high[d];
        if (shows(samples[d], high[d], to_end) || shows(m, k, to_end)) {
            return d;
        }
    }
    return 0;
}

} // namespace gr::fringe
