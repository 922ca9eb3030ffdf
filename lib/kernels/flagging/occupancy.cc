/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/occupancy.h"
#include <algorithm>

namespace gr::fringe::kernels {

const std::array<std::string, 7>& occupancy::causes()
{
    static const std::array<std::string, 7> names{
        "lost", "bad_input", "mask", "kurtosis", "power", "median", "threshold"};
    return names;
}

occupancy::occupancy(std::size_t channels) : d_any(channels, 0) { d_of.fill(d_any); }

void occupancy::clear()
{
    d_seen = 0;
    std::fill(d_any.begin(), d_any.end(), 0);
    d_of.fill(d_any);
}

void occupancy::add(const std::uint8_t* flags, std::size_t baselines)
{
    d_seen += baselines;
    for (std::size_t c = 0; c < d_any.size(); ++c) {
        std::array<std::uint64_t, 256> times{};
        for (std::size_t b = 0; b < baselines; ++b) {
            ++times[*flags++];
        }
        d_any[c] += baselines - times[0];
        for (std::size_t mask = 1; mask < times.size(); ++mask) {
            for (std::size_t cause = 0; times[mask] && cause < d_of.size(); ++cause) {
                d_of[cause][c] += (mask >> cause) & 1 ? times[mask] : 0;
            }
        }
    }
}

std::vector<float> occupancy::part(const std::vector<std::uint64_t>& count) const
{
    std::vector<float> parts;
    for (const std::uint64_t n : count) {
        parts.push_back(d_seen > 0 ? static_cast<float>(static_cast<double>(n) /
                                                        static_cast<double>(d_seen))
                                   : 0.0f);
    }
    return parts;
}

} // namespace gr::fringe::kernels
