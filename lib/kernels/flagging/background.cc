/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/background.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t min_cells = 16; // that a window needs to be used
constexpr double mad_to_spread = 1.482602218505602;

// Median and MAD of n cells scatter, so that noise exceeds a threshold of theirs more
// often than one of the true ones. By how much more it has to be, to first order in 1/n:
// their variances are 1.571 / n and, of the MAD relative to itself, 1.361 / n; between two
// half overlapping windows they are two thirds of that.
double for_few_cells(double z, std::size_t n, bool between)
{
    const double variance = (1.361 * z * z + 1.571) / static_cast<double>(n);
    return z + 0.5 * z * variance * (between ? 0.67 : 1.0);
}

// The same for the Rice distribution, as the ratio of median and spread that chose it was
// measured in \a n cells; from simulations.
double for_few_ratios(std::size_t n) { return 60 / static_cast<double>(n); }

} // namespace

local_background::local_background(std::size_t window,
                                   double rate,
                                   const rice_thresholds& rice)
    : d_window(window), d_normal(normal_quantile(rate)), d_rice(rice)
{
}

void local_background::place_nodes(std::size_t channels)
{
    const std::size_t width =
        std::min(channels, std::max<std::size_t>(16, std::min(d_window, channels / 2)));
    const std::size_t steps = 2 * ((channels - width + width - 1) / width);
    d_nodes.clear();
    for (std::size_t k = 0; k <= steps; ++k) {
        node n;
        n.first = steps > 0 ? k * (channels - width) / steps : 0;
        n.end = n.first + width;
        n.center = 0.5 * static_cast<double>(n.first + n.end - 1);
        d_nodes.push_back(n);
    }
}

// Spread of the deviations, and mean level of the background, in each stretch.
void local_background::measure(const flag_plane& plane)
{
    for (node& n : d_nodes) {
        d_cells.clear();
        for (std::size_t t = 0; t < plane.dumps; ++t) {
            const std::size_t row = t * plane.channels;
            for (std::size_t c = row + n.first; c < row + n.end; ++c) {
                if (plane.used[c] && !plane.found[c]) {
                    d_cells.push_back(std::abs(plane.value[c]));
                }
            }
        }
        n.cells = d_cells.size();
        n.spread = mad_to_spread * median_of(d_cells);
        n.level = 0;
        for (std::size_t c = n.first; c < n.end; ++c) {
            n.level += d_steady.level()[c] / static_cast<double>(n.end - n.first);
        }
        // Values that are all the same: their rounding is no noise.
        n.spread = std::max(n.spread, 1e-6 * std::abs(n.level) + 1e-30);
    }
    d_nodes.erase(std::remove_if(d_nodes.begin(),
                                 d_nodes.end(),
                                 [](const node& n) { return n.cells < min_cells; }),
                  d_nodes.end());
}

void local_background::interpolate(std::size_t channels, plane_noise noise)
{
    d_spread.resize(channels);
    d_threshold.resize(channels);
    // One ratio for the whole band: it scatters less than those of the windows.
    double ratios = 0, limit = d_normal;
    std::size_t cells = 0;
    for (const node& n : d_nodes) {
        ratios += n.level / n.spread;
        cells += n.cells;
    }
    d_ratio = ratios / static_cast<double>(d_nodes.size());
    if (noise == plane_noise::rice) {
        limit = d_rice.threshold(d_ratio) + for_few_ratios(cells);
    }
    std::size_t k = 0;
    for (std::size_t c = 0; c < channels; ++c) {
        const auto x = static_cast<double>(c);
        while (k + 2 < d_nodes.size() && x > d_nodes[k + 1].center) {
            ++k;
        }
        const node& a = d_nodes[k];
        const node& b = d_nodes[std::min(k + 1, d_nodes.size() - 1)];
        const double way = b.center - a.center;
        const double part = way > 0 ? std::clamp((x - a.center) / way, 0.0, 1.0) : 0;
        d_spread[c] = static_cast<float>(a.spread + part * (b.spread - a.spread));
        d_threshold[c] =
            for_few_cells(limit, std::min(a.cells, b.cells), d_nodes.size() > 1);
    }
}

void local_background::take_out_smooth(flag_plane& plane)
{
    constexpr std::size_t enough = 2000; // cells, for a spread to clip by
    d_cells.clear();
    const std::size_t step = std::max<std::size_t>(1, plane.cells() / enough);
    for (std::size_t k = 0; k < plane.cells(); k += step) {
        if (plane.used[k] && !plane.found[k]) {
            d_cells.push_back(std::abs(plane.value[k]));
        }
    }
    const double spread = mad_to_spread * median_of(d_cells);
    d_smooth.fit(plane, static_cast<float>(3 * spread), d_surface);
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        plane.value[k] -= d_surface[k];
    }
    // The surface is of means; deviations are from the median, as the thresholds are.
    d_cells.clear();
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        if (plane.used[k] && !plane.found[k]) {
            d_cells.push_back(plane.value[k]);
        }
    }
    const float middle = median_of(d_cells);
    for (float& v : plane.value) {
        v -= middle;
    }
}

bool local_background::take_out(flag_plane& plane, plane_noise noise)
{
    const std::size_t channels = plane.channels;
    d_steady.take_out(plane);
    for (std::size_t k = 0; k < plane.trust.size(); ++k) {
        plane.value[k] *= plane.trust[k];
    }
    take_out_smooth(plane);
    place_nodes(channels);
    measure(plane);
    if (d_nodes.empty()) {
        return false;
    }
    interpolate(channels, noise);
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        float* row = plane.value.data() + t * channels;
        for (std::size_t c = 0; c < channels; ++c) {
            row[c] /= d_spread[c];
        }
    }
    if (noise == plane_noise::sum) {
        d_skew.make_normal(plane);
    }
    return true;
}

} // namespace gr::fringe::kernels
