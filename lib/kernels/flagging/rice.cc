/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/rice.h"
#include "kernels/flagging/quantiles.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr double step = 1.0 / 128;
constexpr double reach = 9; // standard deviations

// exp(-x) I0(x) and I1(x) / I0(x), also where exp(x) overflows.
constexpr double large = 300;
double scaled_bessel(double x)
{
    return x < large ? std::cyl_bessel_i(0.0, x) * std::exp(-x)
                     : (1 + 0.125 / x) / std::sqrt(2 * M_PI * x);
}
double bessel_ratio(double x)
{
    return x < large ? std::cyl_bessel_i(1.0, x) / std::cyl_bessel_i(0.0, x)
                     : 1 - 0.5 / x;
}

double power(double amplitude) { return std::cbrt(amplitude * amplitude); }
double amplitude_of(double x) { return x > 0 ? std::pow(x, 1.5) : 0; }

} // namespace

rice_distribution::rice_distribution(double source)
    : d_source(source), d_first(std::max(0.0, source - reach))
{
    const double end = source + reach;
    double sum = 0, last = density(d_first);
    for (double a = d_first; a < end; a += step) {
        d_below.push_back(sum);
        const double next = density(a + step);
        sum += step / 6 * (last + 4 * density(a + step / 2) + next);
        last = next;
    }
    for (double& p : d_below) {
        p /= sum;
    }
    d_median = quantile(0.5);
    const auto within = [&](double d) {
        return below(amplitude_of(d_median + d)) - below(amplitude_of(d_median - d));
    };
    d_spread = solve(within, 0.5, 0, power(end)) / normal_quantile(0.25);
}

// a exp(-(a^2 + s^2) / 2) I0(a s), written so that nothing overflows.
double rice_distribution::density(double a) const
{
    return a * std::exp(-0.5 * (a - d_source) * (a - d_source)) *
           scaled_bessel(a * d_source);
}

double rice_distribution::below(double a) const
{
    const double n = (a - d_first) / step;
    const auto k = static_cast<std::size_t>(std::max(n, 0.0));
    if (n <= 0 || k + 1 >= d_below.size()) {
        return n <= 0 ? 0 : 1;
    }
    return d_below[k] + (n - static_cast<double>(k)) * (d_below[k + 1] - d_below[k]);
}

double rice_distribution::quantile(double probability) const
{
    return power(
        solve([&](double a) { return below(a); }, probability, 0, d_source + reach));
}

double rice_distribution::score(double a) const
{
    const double x = a * d_source;
    return 0.5 * (a * a + d_source * d_source) - x * bessel_ratio(x) - 1;
}

const std::vector<double>& rice_distribution::grid()
{
    static const std::vector<double> sources = [] {
        std::vector<double> s;
        for (double source = 0; source <= 12; source += source < 4 ? 0.25 : 1) {
            s.push_back(source);
        }
        return s;
    }();
    return sources;
}

const std::vector<rice_distribution>& rice_distribution::of_grid()
{
    static const std::vector<rice_distribution> all(grid().begin(), grid().end());
    return all;
}

} // namespace gr::fringe::kernels
