/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/common_scatter.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t width = 64;  // channels of a stretch
constexpr std::size_t length = 32; // windows
constexpr std::size_t in_turn = 8; // a full history hardly changes: an eighth each window
constexpr double to_spread = 1.4826;

} // namespace

common_scatter::common_scatter(std::size_t channels)
    : d_channels(channels), d_history(length * channels)
{
    const std::size_t count = std::max<std::size_t>(1, channels / width);
    for (std::size_t k = 0; k < count; ++k) {
        d_stretches.push_back({k * channels / count, (k + 1) * channels / count});
    }
}

void common_scatter::push(const std::vector<float>& deviations)
{
    std::copy_n(deviations.begin(),
                d_channels,
                d_history.begin() +
                    static_cast<std::ptrdiff_t>(d_windows % length * d_channels));
    ++d_windows;
    for (std::size_t k = 0; k < d_stretches.size(); ++k) {
        if (d_windows <= length || k % in_turn == d_windows % in_turn) {
            measure(d_stretches[k]);
        }
    }
}

void common_scatter::measure(stretch& s)
{
    d_values.clear();
    for (std::size_t w = 0; w < std::min(d_windows, length); ++w) {
        for (std::size_t c = s.first; c < s.end; ++c) {
            const float x = d_history[w * d_channels + c];
            if (!std::isnan(x)) {
                d_values.push_back(std::abs(x));
            }
        }
    }
    s.count = d_values.size();
    if (s.count > 0) {
        float middle;
        d_sorted.find(d_values.data(), s.count, {s.count / 2}, &middle);
        s.factor = to_spread * static_cast<double>(middle);
    }
}

// A spread from n values scatters by a variance of 1.36 / n, relative to itself; a limit z of
// it is passed as often as asked when it is larger by z^2 / 2 times that.
double common_scatter::factor(std::size_t channel, double limit) const
{
    const std::size_t k =
        std::min(channel * d_stretches.size() / d_channels, d_stretches.size() - 1);
    const stretch& s = d_stretches[k];
    const auto n = static_cast<double>(std::max<std::size_t>(s.count, 1));
    return std::max(1.0, s.factor * (1 + 0.68 * limit * limit / n));
}

} // namespace gr::fringe::kernels
