/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/skewness.h"
#include "kernels/flagging/quantiles.h"
#include "kernels/flagging/rice.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr double quartile = 0.6744897501960817, mad_to_spread = 1.482602218505602;
// The part of the cells that is the tail, and the fewest cells of it that are enough.
constexpr double tail = 0.01, fewest = 20, largest_tail = 0.1;
// The length of the tail in units of the MAD scatters by so much of itself, times 1 / sqrt(cells):
// the variances are p (1 - p) / density^2, 13.9 of the quantile and 1.57 of the median with a
// covariance of 0.47, over 2.33^2, and 1.36 of the MAD. It counts where it is that sure.
constexpr double scatter = 2.0, sure = 2.5;
constexpr double largest = 0.8; // b of a chi-square distribution of one degree: 0.6

// 1.4826 MAD of (1 + b n)^3.
double spread_of(double b)
{
    return mad_to_spread * (3 * quartile * b + std::pow(quartile * b, 3));
}

} // namespace

// The b with which the lower tail is as long as it is.
double skew_deviations::measure(const flag_plane& plane)
{
    d_cells.clear();
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        if (plane.used[k] && !plane.found[k]) {
            d_cells.push_back(plane.value[k]);
        }
    }
    const auto cells = static_cast<double>(d_cells.size());
    const double part = std::max(tail, fewest / std::max(cells, 1.0));
    if (part > largest_tail) {
        return 0;
    }
    const auto at = d_cells.begin() + static_cast<std::ptrdiff_t>(part * cells);
    std::nth_element(d_cells.begin(), at, d_cells.end());
    const double z = normal_quantile(part);
    const double length = std::max(-static_cast<double>(*at), 0.1);
    if (length >= z * (1 - sure * scatter / std::sqrt(cells))) {
        return 0;
    }
    const auto shorter = [&](double b) {
        return -(1 - std::pow(std::max(1 - z * b, 0.0), 3)) / spread_of(b);
    };
    return solve(shorter, -length, 1e-4, largest);
}

void skew_deviations::make_normal(flag_plane& plane)
{
    d_skewness = measure(plane);
    if (d_skewness == 0) {
        return;
    }
    const auto b = static_cast<float>(d_skewness);
    const auto s = static_cast<float>(spread_of(d_skewness));
    for (float& z : plane.value) {
        z = (std::cbrt(std::max(1 + s * z, 0.0f)) - 1) / b;
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
