/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/common_scatter.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t width = 64;  // channels of a stretch
constexpr std::size_t length = 32; // windows
constexpr std::size_t in_turn = 8; // a full history hardly changes: an eighth each window
constexpr double to_spread = 1.4826;

//! The value at place n, counted from 0, of sorted values that are not negative: such floats are
//! in the order of their bits. Counts of the highest bits say which values are near, and only
//! these are sorted.
float sorted_value(const std::vector<float>& values,
                   std::size_t n,
                   std::vector<float>& near)
{
    constexpr int lower_bits = 20;
    std::array<std::uint32_t, (1 << (31 - lower_bits))> counts{};
    const auto cell = [](float x) {
        std::uint32_t bits;
        std::memcpy(&bits, &x, sizeof(bits));
        return bits >> lower_bits;
    };
    for (const float x : values) {
        ++counts[cell(x)];
    }
    std::size_t c = 0;
    for (; n >= counts[c]; ++c) {
        n -= counts[c];
    }
    near.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(near), [&](float x) {
        return cell(x) == c;
    });
    const auto place = near.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(near.begin(), place, near.end());
    return *place;
}

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
        const float middle = sorted_value(d_values, s.count / 2, d_near);
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
