/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/power_sum_tail.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

// A sum of gamma variables: `shape` and `scale` of each, and how many there are.
struct gammas {
    double shape[2], scale[2];

    double value(double t) const // where the saddlepoint is t: the derivative of K
    {
        double x = 0;
        for (const int k : {0, 1}) {
            x += shape[k] * scale[k] / (1 - scale[k] * t);
        }
        return x;
    }

    // The probability of more than value(t).
    double tail(double t) const
    {
        double log_moment = 0, curvature = 0;
        for (const int k : {0, 1}) {
            const double left = 1 - scale[k] * t;
            log_moment -= shape[k] * std::log(left);
            curvature += shape[k] * scale[k] * scale[k] / (left * left);
        }
        const double w = std::sqrt(2 * (t * value(t) - log_moment));
        const double v = t * std::sqrt(curvature);
        constexpr double root_two_pi = 2.5066282746310002;
        return std::erfc(w / std::sqrt(2.0)) / 2 +
               std::exp(-w * w / 2) / root_two_pi * (1 / v - 1 / w);
    }
};

} // namespace

double power_sum_limit(std::size_t n, bool complex_samples, double excess, double rate)
{
    const auto inputs = static_cast<double>(n);
    const double shape = complex_samples ? 1 : 0.5;
    const double largest =
        n > 1 ? std::min(1 + std::sqrt((inputs - 1) * std::max(excess - 1, 0.0)), inputs)
              : 1;
    const double other = n > 1 ? (inputs - largest) / (inputs - 1) : 0;
    const gammas sum{{shape, shape * (inputs - 1)}, {largest / shape, other / shape}};
    // The tail falls as t goes from 0 to its end.
    double low = 0, high = 1 / sum.scale[0];
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (sum.tail(middle) > rate ? low : high) = middle;
    }
    return sum.value((low + high) / 2);
}

} // namespace gr::fringe::kernels
