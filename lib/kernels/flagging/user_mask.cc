/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/user_mask.h"
#include <cmath>

namespace gr::fringe::kernels {

std::vector<std::uint8_t> masked_channels(const user_mask& mask,
                                          const std::vector<double>& frequencies)
{
    std::vector<std::uint8_t> masked(frequencies.size(), 0);
    const double half =
        frequencies.size() > 1 ? 0.5 * std::abs(frequencies[1] - frequencies[0]) : 0;
    for (const auto& [from, to] : mask.bands) {
        for (std::size_t c = 0; c < frequencies.size(); ++c) {
            masked[c] |= frequencies[c] + half > from && frequencies[c] - half < to;
        }
    }
    return masked;
}

bool masked_time(const user_mask& mask, const epoch& start, double seconds)
{
    const epoch end = start.plus_seconds(seconds);
    for (const auto& [from, to] : mask.times) {
        if (start < to && from < end) {
            return true;
        }
    }
    return false;
}

} // namespace gr::fringe::kernels
