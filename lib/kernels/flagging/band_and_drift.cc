/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/band_and_drift.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t half_band = 7, half_band_again = 5; // channels
constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

} // namespace

float median_of(std::vector<float>& v)
{
    if (v.empty()) {
        return 0;
    }
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    if (v.size() % 2 == 1) {
        return *middle;
    }
    return 0.5f * (*middle + *std::max_element(v.begin(), middle));
}

// Running median, over what there is of 2 half + 1 values around each. Symmetrical ones
// become narrower towards the ends, and follow a slope to the end; where there is nothing,
// they leave out what lies opposite, too, so that a slope does not move them.
void band_and_drift::smooth(std::vector<float>& line, std::size_t half, bool symmetrical)
{
    d_raw = line;
    const std::size_t n = line.size();
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t to_end = std::max<std::size_t>(std::min(k, n - 1 - k), 2);
        std::size_t reach = symmetrical ? std::min(half, to_end) : half;
        // Where there is nothing, what lies around it.
        for (d_cells.clear(); d_cells.empty() && reach < 2 * n + half; reach *= 2) {
            const std::size_t end = std::min(n, k + reach + 1);
            for (std::size_t x = k - std::min(k, reach); x < end; ++x) {
                const std::size_t opposite = 2 * k - x; // of the first ones: far beyond
                const bool alone =
                    symmetrical && opposite < n && std::isnan(d_raw[opposite]);
                if (!std::isnan(d_raw[x]) && !alone) {
                    d_cells.push_back(d_raw[x]);
                }
            }
        }
        line[k] = median_of(d_cells);
    }
}

void band_and_drift::medians_of_channels(const flag_plane& plane)
{
    d_band.assign(plane.channels, nothing);
    for (std::size_t c = 0; c < plane.channels; ++c) {
        d_cells.clear();
        for (std::size_t k = c; k < plane.cells(); k += plane.channels) {
            if (plane.used[k] && !plane.found[k]) {
                d_cells.push_back(plane.value[k]);
            }
        }
        if (!d_cells.empty()) {
            d_band[c] = median_of(d_cells);
        }
    }
}

void band_and_drift::medians_of_dumps(const flag_plane& plane)
{
    d_drift.assign(plane.dumps, nothing);
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        const std::size_t row = t * plane.channels;
        d_cells.clear();
        for (std::size_t c = 0; c < plane.channels; ++c) {
            if (plane.used[row + c] && !plane.found[row + c]) {
                d_cells.push_back(plane.value[row + c] - d_band[c]);
            }
        }
        if (!d_cells.empty()) {
            d_drift[t] = median_of(d_cells);
        }
    }
}

void band_and_drift::follow_band(std::vector<float>& level)
{
    d_rest = level;
    smooth(level, half_band, true);
    for (std::size_t c = 0; c < level.size(); ++c) {
        d_rest[c] -= level[c];
    }
    smooth(d_rest, half_band_again, true);
    for (std::size_t c = 0; c < level.size(); ++c) {
        level[c] += d_rest[c];
    }
}

void band_and_drift::take_out(flag_plane& plane)
{
    medians_of_channels(plane);
    follow_band(d_band);
    medians_of_dumps(plane);
    smooth(d_drift, std::max<std::size_t>(plane.dumps / 4, 1), false);
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        float* row = plane.value.data() + t * plane.channels;
        for (std::size_t c = 0; c < plane.channels; ++c) {
            row[c] -= d_band[c] + d_drift[t];
        }
    }
}

} // namespace gr::fringe::kernels
