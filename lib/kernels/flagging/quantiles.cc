/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/quantiles.h"
#include "kernels/flagging/rice.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

double normal_quantile(double probability)
{
    return -solve([](double z) { return normal_tail(-z); }, probability, -40, 40);
}

rice_thresholds::rice_thresholds(double rate)
{
    for (const rice_distribution& rice : rice_distribution::of_grid()) {
        if (d_ratio.empty() || rice.ratio() > d_ratio.back()) {
            d_ratio.push_back(rice.ratio());
            d_threshold.push_back((rice.quantile(1 - rate) - rice.median()) /
                                  rice.spread());
        }
    }
    // A strong source: normal.
    d_ratio.push_back(100 * d_ratio.back());
    d_threshold.push_back(normal_quantile(rate));
}

double rice_thresholds::threshold(double ratio) const
{
    // In 1 / ratio the way from one end to the other is nearly straight. It goes on a little
    // beyond noise without a source: measured ratios scatter to both sides of that.
    const double r = std::max(ratio, 0.9 * d_ratio.front());
    const auto above = std::upper_bound(d_ratio.begin() + 1, d_ratio.end() - 1, r);
    const auto k = static_cast<std::size_t>(above - d_ratio.begin());
    const double part = (1 / std::min(r, d_ratio.back()) - 1 / d_ratio[k - 1]) /
                        (1 / d_ratio[k] - 1 / d_ratio[k - 1]);
    return d_threshold[k - 1] + part * (d_threshold[k] - d_threshold[k - 1]);
}

} // namespace gr::fringe::kernels
