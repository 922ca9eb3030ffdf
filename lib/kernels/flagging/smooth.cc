/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/smooth.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

// Sums over 2 half + 1 neighbours in a row, by the difference of running totals.
void box_row(const float* in, std::size_t n, std::size_t half, float* out)
{
    double sum = 0;
    for (std::size_t c = 0; c < std::min(half, n); ++c) {
        sum += in[c];
    }
    for (std::size_t c = 0; c < n; ++c) {
        sum += c + half < n ? in[c + half] : 0;
        out[c] = static_cast<float>(sum);
        sum -= c >= half ? in[c - half] : 0;
    }
}

void add_row(const float* __restrict in, std::size_t n, float sign, float* __restrict sum)
{
    for (std::size_t c = 0; c < n; ++c) {
        sum[c] += sign * in[c];
    }
}

} // namespace

void smooth_surface::fit(const flag_plane& plane,
                         float most,
                         aligned_vector<float>& smooth)
{
    const std::size_t dumps = plane.dumps, channels = plane.channels;
    smooth.resize(plane.cells());
    d_sums.resize(plane.cells());
    d_counts.resize(plane.cells());
    aligned_vector<float> values(channels), ones(channels);
    for (std::size_t t = 0; t < dumps; ++t) {
        const std::size_t row = t * channels;
        for (std::size_t c = 0; c < channels; ++c) {
            const bool counts = plane.used[row + c] && !plane.found[row + c];
            values[c] = counts ? std::clamp(plane.value[row + c], -most, most) : 0.0f;
            ones[c] = counts ? 1.0f : 0.0f;
        }
        box_row(values.data(), channels, d_channels, &d_sums[row]);
        box_row(ones.data(), channels, d_channels, &d_counts[row]);
    }
    d_column_sums.assign(channels, 0.0f);
    d_column_counts.assign(channels, 0.0f);
    const auto add = [&](std::size_t t, float sign) {
        add_row(&d_sums[t * channels], channels, sign, d_column_sums.data());
        add_row(&d_counts[t * channels], channels, sign, d_column_counts.data());
    };
    for (std::size_t t = 0; t < std::min(d_dumps, dumps); ++t) {
        add(t, 1);
    }
    for (std::size_t t = 0; t < dumps; ++t) {
        if (t + d_dumps < dumps) {
            add(t + d_dumps, 1);
        }
        float* out = &smooth[t * channels];
        for (std::size_t c = 0; c < channels; ++c) {
            out[c] =
                d_column_counts[c] > 0.5f ? d_column_sums[c] / d_column_counts[c] : 0;
        }
        if (t >= d_dumps) {
            add(t - d_dumps, -1);
        }
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
