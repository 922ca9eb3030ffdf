/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/skewness.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr double quartile = 0.6744897501960817, mad_to_spread = 1.482602218505602;
// The tails whose lengths are compared hold a tenth of the cells each. Of fewer cells than
// that their ratio is not known to 10 %.
constexpr double tail = 0.1, z_of_tail = 1.2815515655446004;
constexpr std::size_t fewest_cells = 256;
// Scores end at 3 standard deviations of a baseline: sums of them are not more skew than this.
constexpr double largest = 0.35;

} // namespace

double skew_deviations::measure(const flag_plane& plane)
{
    d_cells.clear();
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        if (plane.used[k] && !plane.found[k]) {
            d_cells.push_back(plane.value[k]);
        }
    }
    if (d_cells.size() < fewest_cells) {
        return 0;
    }
    const auto at = [&](double part) {
        const auto n =
            static_cast<std::ptrdiff_t>(part * static_cast<double>(d_cells.size()));
        std::nth_element(d_cells.begin(), d_cells.begin() + n, d_cells.end());
        return static_cast<double>(d_cells[n]);
    };
    const double ratio = at(1 - tail) / std::max(-at(tail), 0.1);
    return std::clamp(std::log(std::max(ratio, 1.0)) / z_of_tail, 0.0, largest);
}

void skew_deviations::make_normal(flag_plane& plane)
{
    d_skewness = measure(plane);
    if (d_skewness < 1e-3) {
        return;
    }
    const auto g = static_cast<float>(d_skewness);
    const auto s = static_cast<float>(mad_to_spread * std::sinh(quartile * d_skewness));
    for (float& z : plane.value) {
        z = std::log(std::max(1 + s * z, 1e-3f)) / g;
    }
}

} // namespace gr::fringe::kernels
