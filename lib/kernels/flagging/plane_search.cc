/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/plane_search.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

// Standard deviations for which a cell counts at most in the smooth rest.
constexpr float maximum = 3;
// A background is measured with some rate in any case.
constexpr double some_rate = 1e-3;
// What edges have on average, in standard deviations, at the least.
constexpr float faded = 0.5f;

// The mean of a cell and its neighbors in which nothing was found.
float mean_around(const flag_plane& plane, std::size_t t, std::size_t c)
{
    float sum = 0;
    int cells = 0;
    for (std::size_t i = t - (t > 0); i <= t + 1 && i < plane.dumps; ++i) {
        for (std::size_t k = c - (c > 0); k <= c + 1 && k < plane.channels; ++k) {
            const std::size_t cell = i * plane.channels + k;
            if (plane.used[cell] && !plane.found[cell]) {
                sum += plane.value[cell];
                ++cells;
            }
        }
    }
    return cells > 0 ? sum / static_cast<float>(cells) : 0.0f;
}

} // namespace

plane_search::plane_search(const search_params& p, const rice_thresholds& rice)
    : d_p(p),
      d_background(p.window, p.single_rate > 0 ? p.single_rate : some_rate, rice),
      d_smooth(smooth_dumps, smooth_channels, false), // drifts are taken out
      d_runs(p.run_rate > 0 ? std::make_unique<sum_threshold>(p.run_rate) : nullptr),
      d_rank(p.dilation, p.gaps_only),
      d_gaps(p.dilation, true)
{
}

bool plane_search::find_single(flag_plane& plane)
{
    bool any = false;
    for (std::size_t c = 0; c < plane.channels; ++c) {
        const auto limit = static_cast<float>(d_background.threshold(c));
        for (std::size_t k = c; k < plane.cells(); k += plane.channels) {
            if (plane.used[k] && plane.value[k] > limit) {
                plane.found[k] |= d_p.single_bit;
                any = true;
            }
        }
    }
    return any;
}

bool plane_search::find_runs(flag_plane& plane)
{
    d_smooth.fit(plane, maximum, d_residual);
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        d_residual[k] = plane.value[k] - d_residual[k];
    }
    d_hit.resize(plane.cells());
    d_runs->find(
        d_residual.data(), plane.used.data(), plane.dumps, plane.channels, d_hit.data());
    bool any = false;
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        any = any || d_hit[k];
        plane.found[k] |= d_hit[k] ? d_p.run_bit : 0;
    }
    return any;
}

// Of what the operator has added beyond the ends of runs, an edge that was too weak to be found
// is still more than noise. Where edges are sharp, the cells beyond are clean.
void plane_search::keep_faded_edges(const flag_plane& plane)
{
    if (d_p.gaps_only) {
        return;
    }
    d_inner.resize(plane.cells());
    d_gaps.dilate(plane.found.data(),
                  plane.used.data(),
                  plane.dumps,
                  plane.channels,
                  d_inner.data());
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t c = 0; c < plane.channels; ++c) {
            const std::size_t k = t * plane.channels + c;
            if (d_hit[k] && !plane.found[k] && !d_inner[k]) {
                d_hit[k] = mean_around(plane, t, c) > faded;
            }
        }
    }
}

// Marks what stands out of the deviations; false when there is nothing.
bool plane_search::find(flag_plane& plane)
{
    bool any = d_p.single_rate > 0 && find_single(plane);
    any = (d_runs && find_runs(plane)) || any;
    if (any && d_runs) {
        d_rank.dilate(plane.found.data(),
                      plane.used.data(),
                      plane.dumps,
                      plane.channels,
                      d_hit.data());
        keep_faded_edges(plane);
        for (std::size_t k = 0; k < plane.cells(); ++k) {
            plane.found[k] |= d_hit[k] && !plane.found[k] ? d_p.run_bit : 0;
        }
    }
    return any;
}

bool plane_search::search(flag_plane& plane, plane_noise noise)
{
    d_original = plane.value;
    if (!d_background.take_out(plane, noise)) {
        std::fill(plane.used.begin(), plane.used.end(), 0); // nothing to compare with
        return false;
    }
    if (!find(plane)) {
        return false;
    }
    d_first = plane.value;
    plane.value = d_original;
    if (!d_background.take_out(plane, noise)) { // hardly anything is left to compare with
        plane.value = d_first;
        return true;
    }
    std::fill(plane.found.begin(), plane.found.end(), 0);
    return find(plane);
}

} // namespace gr::fringe::kernels
