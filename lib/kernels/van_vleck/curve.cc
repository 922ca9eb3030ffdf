/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/van_vleck/curve.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>
#include <string>

namespace gr::fringe::kernels {

namespace {

// df/dtheta at an angle.
double slope(const quantizer& x, const quantizer& y, double theta)
{
    const double s = std::sin(theta), c2 = std::max(1 - s * s, 1e-300);
    double sum = 0;
    for (const quantizer_step& a : x) {
        for (const quantizer_step& b : y) {
            const double d = a.at - b.at;
            sum += a.rise * b.rise * std::exp(-d * d / (2 * c2) - a.at * b.at / (1 + s));
        }
    }
    return sum / (2 * M_PI);
}

} // namespace

quantizer one_bit_quantizer() { return {{0, 2}}; }

quantizer two_bit_quantizer(double outer, double t)
{
    return {{-t, outer - 1}, {0, 2}, {t, outer - 1}};
}

double two_bit_power(double outer, double t)
{
    return 1 + (outer * outer - 1) * std::erfc(t * M_SQRT1_2);
}

double two_bit_threshold(double outer, double power)
{
    require("van_vleck",
            power > 1 && power < outer * outer,
            "mean power " + std::to_string(power) +
                " of two-bit samples; it lies between "
                "the squares of the levels");
    double low = 0, high = 40;
    while (high - low > 1e-14 * high) {
        const double middle = (low + high) / 2;
        if (middle == low || middle == high) {
            break;
        }
        (two_bit_power(outer, middle) > power ? low : high) = middle;
    }
    return (low + high) / 2;
}

correlation_curve::correlation_curve(const quantizer& x, const quantizer& y)
    : d_step(M_PI / 2 / nodes)
{
    // Gauss's rule with three points.
    static const double place = std::sqrt(0.6) / 2;
    d_value[0] = 0;
    for (unsigned k = 0; k <= nodes; ++k) {
        d_slope[k] = slope(x, y, k * d_step) * d_step;
        if (k < nodes) {
            const double middle = (k + 0.5) * d_step;
            const double mean =
                (5 * slope(x, y, middle - place * d_step) + 8 * slope(x, y, middle) +
                 5 * slope(x, y, middle + place * d_step)) /
                18;
            d_value[k + 1] = d_value[k] + mean * d_step;
        }
    }
}

// The cubic from node k on, 0 <= x <= 1.
double correlation_curve::between(unsigned k, double x) const
{
    const double rise = d_value[k + 1] - d_value[k];
    const double a = d_slope[k] - rise, b = rise - d_slope[k + 1];
    return d_value[k] + x * rise + x * (1 - x) * (a * (1 - x) + b * x);
}

double correlation_curve::quantized(double r) const
{
    const double place = std::asin(std::min(std::abs(r), 1.0)) / d_step;
    const unsigned k = std::min(static_cast<unsigned>(place), nodes - 1);
    return std::copysign(between(k, place - k), r);
}

double correlation_curve::correlation(double product) const
{
    const double size = std::abs(product);
    if (!(size < d_value[nodes])) {
        return std::copysign(1.0, product);
    }
    const auto above = std::upper_bound(d_value.begin(), d_value.end(), size);
    const auto k = static_cast<unsigned>(above - d_value.begin()) - 1;
    const double rise = d_value[k + 1] - d_value[k];
    double x = (size - d_value[k]) / rise;
    // Newton's steps with the mean slope: the cubic is all but a line.
    for (int step = 0; step < 4; ++step) {
        const double local = (1 - x) * d_slope[k] + x * d_slope[k + 1];
        x += (size - between(k, x)) / std::max(local, 0.1 * rise);
        x = std::min(std::max(x, 0.0), 1.0);
    }
    return std::copysign(std::sin((k + x) * d_step), product);
}

} // namespace gr::fringe::kernels
