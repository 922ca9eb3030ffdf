/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/quantiles.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

// Rice with noise 1 in each part: its distribution function, on a grid.
struct rice_table {
    static constexpr double step = 1.0 / 128;
    double first;
    std::vector<double> below; // P(A < first + n step)

    explicit rice_table(double source) : first(std::max(0.0, source - 9))
    {
        const double end = source + 9;
        double sum = 0, last = density(first, source);
        for (double a = first; a < end; a += step) {
            below.push_back(sum);
            const double next = density(a + step, source);
            sum += step / 6 * (last + 4 * density(a + step / 2, source) + next);
            last = next;
        }
        for (double& p : below) {
            p /= sum;
        }
    }

    static double density(double a, double source)
    {
        // a exp(-(a^2 + s^2) / 2) I0(a s), written so that nothing overflows.
        const double x = a * source;
        const double bessel = x < 300 ? std::cyl_bessel_i(0.0, x) * std::exp(-x)
                                      : (1 + 0.125 / x) / std::sqrt(2 * M_PI * x);
        return a * std::exp(-0.5 * (a - source) * (a - source)) * bessel;
    }

    double at(double a) const
    {
        const double n = (a - first) / step;
        const auto k = static_cast<std::size_t>(std::max(n, 0.0));
        if (n <= 0 || k + 1 >= below.size()) {
            return n <= 0 ? 0 : 1;
        }
        return below[k] + (n - static_cast<double>(k)) * (below[k + 1] - below[k]);
    }
};

// The a in [low, high] at which a rising function passes `level`.
template <class Function>
double solve(const Function& rising, double level, double low, double high)
{
    for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (low + high);
        (rising(middle) < level ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

} // namespace

double normal_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

double normal_quantile(double probability)
{
    return -solve([](double z) { return normal_tail(-z); }, probability, -40, 40);
}

rice_thresholds::rice_thresholds(double rate)
{
    for (double source = 0; source <= 12; source += source < 4 ? 0.25 : 1) {
        const rice_table rice(source);
        const double most = source + 9;
        const auto of = [](double amplitude) { return std::cbrt(amplitude * amplitude); };
        const auto back = [](double x) { return x > 0 ? std::pow(x, 1.5) : 0; };
        const auto quantile = [&](double p) {
            return of(solve([&](double a) { return rice.at(a); }, p, 0, most));
        };
        const double median = quantile(0.5);
        const double mad = solve(
            [&](double d) {
                return rice.at(back(median + d)) - rice.at(back(median - d));
            },
            0.5,
            0,
            of(most));
        const double spread = mad / normal_quantile(0.25);
        const double ratio = median / spread;
        if (d_ratio.empty() || ratio > d_ratio.back()) {
            d_ratio.push_back(ratio);
            d_threshold.push_back((quantile(1 - rate) - median) / spread);
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

} // namespace kernels
} // namespace fringe
} // namespace gr
