/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/smooth.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

// Sums over 2 half + 1 neighbors in a row, by the difference of running totals.
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

// Sums for a straight line in u: of count u, count u^2 and value u.
void add_moments(const float* __restrict values,
                 const float* __restrict counts,
                 float u,
                 std::size_t n,
                 float* __restrict sums)
{
    for (std::size_t c = 0; c < n; ++c) {
        sums[c] += u * counts[c];
        sums[n + c] += u * u * counts[c];
        sums[2 * n + c] += u * values[c];
    }
}

} // namespace

// The first dumps of the surface, or the last. Where much is missing, so that a slope would
// be a guess, the line is level.
void smooth_surface::fit_line(const flag_plane& plane,
                              bool last,
                              aligned_vector<float>& smooth)
{
    const std::size_t n = plane.channels;
    const std::size_t rows = std::min(2 * d_dumps + 1, plane.dumps);
    const std::size_t first = last ? plane.dumps - rows : 0;
    const auto place = [&](std::size_t t) {
        return static_cast<float>(t - first) - 0.5f * static_cast<float>(rows - 1);
    };
    d_column_sums.assign(n, 0.0f);
    d_column_counts.assign(n, 0.0f);
    d_moments.assign(3 * n, 0.0f);
    for (std::size_t t = first; t < first + rows; ++t) {
        add_row(&d_sums[t * n], n, 1, d_column_sums.data());
        add_row(&d_counts[t * n], n, 1, d_column_counts.data());
        add_moments(&d_sums[t * n], &d_counts[t * n], place(t), n, d_moments.data());
    }
    const auto all = static_cast<float>(rows * rows - 1) / 12; // variance of u
    for (std::size_t c = 0; c < n; ++c) {
        const float count = std::max(d_column_counts[c], 1.0f);
        const float u = d_moments[c] / count, v = d_column_sums[c] / count;
        const float variance = d_moments[n + c] / count - u * u;
        const bool sloping = rows > 2 && variance > 0.5f * all;
        const float slope =
            sloping ? (d_moments[2 * n + c] / count - u * v) / variance : 0;
        d_moments[c] = v - slope * u;
        d_moments[n + c] = slope;
    }
    const std::size_t begin =
        last ? std::max(plane.dumps - std::min(d_dumps, plane.dumps), plane.dumps / 2)
             : 0;
    const std::size_t end = last ? plane.dumps : std::min(d_dumps, (plane.dumps + 1) / 2);
    for (std::size_t t = begin; t < end; ++t) {
        for (std::size_t c = 0; c < n; ++c) {
            smooth[t * n + c] = d_moments[c] + d_moments[n + c] * place(t);
        }
    }
}

void smooth_surface::fit(const flag_plane& plane,
                         float maximum,
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
            values[c] =
                counts ? std::clamp(plane.value[row + c], -maximum, maximum) : 0.0f;
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
    if (d_follow) {
        fit_line(plane, false, smooth);
        fit_line(plane, true, smooth);
    }
}

} // namespace gr::fringe::kernels
