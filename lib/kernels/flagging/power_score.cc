/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/power_score.h"
#include "kernels/flagging/rice.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

// The mean of f(z, amplitude) over a Rice distribution.
template <class Function>
double mean_of(const rice_distribution& rice, double source, const Function& f)
{
    constexpr double step = 1.0 / 64, reach = 8;
    double sum = 0, norm = 0;
    for (double a = std::max(0.0, source - reach); a < source + reach; a += step) {
        const double p = rice.density(a);
        sum += p * f((std::cbrt(a * a) - rice.median()) / rice.spread(), a);
        norm += p;
    }
    return sum / norm;
}

// The straight line in z and z^2 next to the score, of variance 1 and clipped.
power_score fitted(const rice_distribution& rice, double source)
{
    const auto mean = [&](const auto& f) { return mean_of(rice, source, f); };
    const double z1 = mean([](double z, double) { return z; });
    const double z2 = mean([](double z, double) { return z * z; });
    const auto covariance = [&](const auto& f, const auto& g) {
        return mean([&](double z, double a) { return f(z, a) * g(z, a); });
    };
    const auto u = [&](double z, double) { return z - z1; };
    const auto v = [&](double z, double) { return z * z - z2; };
    const auto g = [&](double, double a) { return rice.score(a); };
    const double uu = covariance(u, u), uv = covariance(u, v), vv = covariance(v, v);
    const double ug = covariance(u, g), vg = covariance(v, g);
    double linear = (ug * vv - vg * uv) / (uu * vv - uv * uv);
    double square = (vg * uu - ug * uv) / (uu * vv - uv * uv);
    double offset = -linear * z1 - square * z2;
    // Clipping lowers mean and variance: two more rounds put them right.
    power_score s;
    for (int round = 0; round < 3; ++round) {
        const auto clipped = [&](double z, double) {
            return std::min<double>(offset + z * (linear + square * z), s.maximum);
        };
        const double middle = mean(clipped);
        const auto rest = [&](double z, double a) { return clipped(z, a) - middle; };
        const double deviation = std::sqrt(covariance(rest, rest));
        const auto cube = [&](double z, double a) { return std::pow(rest(z, a), 3); };
        s.skewness = static_cast<float>(mean(cube) / std::pow(deviation, 3));
        offset = (offset - middle) / deviation;
        linear /= deviation;
        square /= deviation;
    }
    s.offset = static_cast<float>(offset);
    s.linear = static_cast<float>(linear);
    s.square = static_cast<float>(square);
    return s;
}

} // namespace

power_scores::power_scores()
{
    for (const double source : rice_distribution::grid()) {
        const rice_distribution rice(source);
        if (d_ratio.empty() || rice.ratio() > d_ratio.back()) {
            d_ratio.push_back(rice.ratio());
            d_score.push_back(fitted(rice, source));
        }
    }
}

power_score power_scores::of(double ratio) const
{
    const double r = std::clamp(ratio, d_ratio.front(), d_ratio.back());
    const auto above = std::upper_bound(d_ratio.begin() + 1, d_ratio.end() - 1, r);
    const auto k = static_cast<std::size_t>(above - d_ratio.begin());
    const auto part =
        static_cast<float>((r - d_ratio[k - 1]) / (d_ratio[k] - d_ratio[k - 1]));
    const power_score &a = d_score[k - 1], &b = d_score[k];
    power_score s;
    s.offset = a.offset + part * (b.offset - a.offset);
    s.linear = a.linear + part * (b.linear - a.linear);
    s.square = a.square + part * (b.square - a.square);
    s.skewness = a.skewness + part * (b.skewness - a.skewness);
    return s;
}

} // namespace gr::fringe::kernels
