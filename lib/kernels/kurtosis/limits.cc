/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/limits.h"
#include <algorithm>
#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace gr::fringe::kernels {

namespace {

using boost::math::complement;

constexpr double pi = 3.14159265358979323846;

struct moments {
    double mean, variance, third, fourth; // central ones
};

/*!
 * With D uniform spacings,
 *     E (sum D^2)^k = (m-1)! / (m+2k-1)! k! [z^k] (sum_j (2j)!/j! z^j)^m
 */
moments kurtosis_moments(double m)
{
    constexpr std::array<double, 5> series{1, 2, 12, 120, 1680};
    std::array<double, 5> power{1, 0, 0, 0, 0}, raw{1, 0, 0, 0, 0};
    double scale = 1;
    for (int n = 1; n <= 4; ++n) {
        for (int k = 1; k <= n; ++k) {
            power[n] += (k * m - (n - k)) * series[k] * power[n - k] / n;
        }
        scale *= n * m / ((m + 2 * n - 2) * (m + 2 * n - 1));
        raw[n] = power[n] * scale;
    }
    const double mean = raw[1];
    const double factor = (m + 1) / (m - 1);
    moments c;
    c.mean = factor * (mean - 1);
    c.variance = std::pow(factor, 2) * (raw[2] - mean * mean);
    c.third = std::pow(factor, 3) * (raw[3] - 3 * mean * raw[2] + 2 * std::pow(mean, 3));
    c.fourth = std::pow(factor, 4) * (raw[4] - 4 * mean * raw[3] +
                                      6 * mean * mean * raw[2] - 3 * std::pow(mean, 4));
    return c;
}

moments of_mean(const moments& single, double n)
{
    const double variance = single.variance / n;
    return {single.mean,
            variance,
            single.third / (n * n),
            (single.fourth - 3 * single.variance * single.variance) / (n * n * n) +
                3 * variance * variance};
}

// What the Pearson curve of these moments exceeds with probability p:
// f'/f = -(x + a) / (b0 + a x + b2 x^2), integrated as it stands, whatever its type.
double pearson_high(const moments& c, double p)
{
    const double g = c.third / std::pow(c.variance, 1.5);
    const double b1 = g * g, kurtosis = c.fourth / (c.variance * c.variance);
    const double d = 10 * kurtosis - 18 - 12 * b1;
    const double b0 = (4 * kurtosis - 3 * b1) / d;
    const double a = g * (kurtosis + 3) / d, b2 = (2 * kurtosis - 3 * b1 - 6) / d;
    constexpr double step = 0.002; // standard deviations
    constexpr int from = -4000, to = 20000;
    std::vector<double> density(to - from, 0);
    for (const int direction : {1, -1}) {
        double logarithm = 0, before = -a / b0;
        for (int k = 0; k >= from && k < to; k += direction) {
            const double x = step * k, under = b0 + a * x + b2 * x * x;
            if (under <= 0) {
                break; // the curve ends here
            }
            const double slope = -(x + a) / under;
            logarithm += k == 0 ? 0 : direction * step * (slope + before) / 2;
            before = slope;
            density[k - from] = std::exp(logarithm);
        }
    }
    std::partial_sum(density.begin(), density.end(), density.begin());
    const auto at =
        std::lower_bound(density.begin(), density.end(), (1 - p) * density.back());
    const double x = step * static_cast<double>(at - density.begin() + from);
    return c.mean + x * std::sqrt(c.variance);
}

struct lower_tail {
    double ratio;       // m S2 / S1^2
    double probability; // that noise stays below
};

/*!
 * Powers whose exponential distribution is tilted to exp(-z^2 - 2 c z): the lower c, the
 * less they scatter. By Skovgaard's formula for n (m powers) of them.
 */
lower_tail tilted(double c, double m, double n)
{
    const double end = std::sqrt(c * c + 40) - c; // exp(-40) from the density at 0
    const double top = c < 0 ? c * c : 0; // the largest exponent, which could overflow
    std::array<double, 5> z;              // the integral, and the mean of z^k
    for (int k = 0; k < 5; ++k) {
        z[k] = boost::math::quadrature::gauss<double, 60>::integrate(
            [&](double x) { return std::pow(x, k) * std::exp(-x * x - 2 * c * x - top); },
            0.0,
            end);
        z[k] /= k ? z[0] : 1;
    }
    const double mean = z[1], b = mean * mean;
    const double v1 = (z[2] - b) / b, v2 = (z[4] - z[2] * z[2]) / (b * b);
    const double v12 = (z[3] - z[1] * z[2]) / (b * mean);
    const double entropy = -(std::log(z[0] / mean) + top - 1 + 2 * c * mean + z[2]);
    const double r = -std::sqrt(std::max(2 * m * n * entropy, 1e-12));
    const double u = -b * std::sqrt(m * n * std::pow(v1, n - 1) * (v1 * v2 - v12 * v12));
    const boost::math::normal normal;
    return {z[2] / b, cdf(normal, r) + pdf(normal, r) * (1 / r - 1 / u)};
}

double saddlepoint_low(double m, double n, double p)
{
    double low = -6, high = 60; // of the tilt
    for (int k = 0; k < 50; ++k) {
        const double c = (low + high) / 2;
        (tilted(c, m, n).probability < p ? low : high) = c;
    }
    return (m + 1) / (m - 1) * (tilted(low, m, n).ratio - 1);
}

} // namespace

limits kurtosis_limits(std::size_t m, double n, double false_alarm)
{
    const auto spectra = static_cast<double>(m);
    return {saddlepoint_low(spectra, n, false_alarm / 2),
            pearson_high(of_mean(kurtosis_moments(spectra), n), false_alarm / 2)};
}

double power_limit(std::size_t m, std::size_t n, double false_alarm)
{
    const double freedom = 2 * static_cast<double>(m);
    const boost::math::fisher_f f(freedom, freedom * 2 / pi * static_cast<double>(n));
    // The median of a gamma distribution is that much below its mean.
    return quantile(complement(f, false_alarm)) * (1 + 2 / (3 * freedom));
}

double deviation_limit(std::size_t n, double false_alarm)
{
    const auto count = static_cast<double>(n);
    const boost::math::students_t t(count / 2.72);
    return quantile(complement(t, false_alarm)) * std::sqrt(1 + pi / (2 * count));
}

} // namespace gr::fringe::kernels
