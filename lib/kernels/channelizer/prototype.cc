/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/prototype.h"
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

const double pi = std::acos(-1.0);

double sinc(double x) { return x == 0 ? 1.0 : std::sin(pi * x) / (pi * x); }

//! Modified Bessel function of the first kind, order 0 (its power series).
double bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

//! The window at the distance u = 0 (middle) ... 1 (first and last sample).
double window_at(const std::string& window, double u)
{
    if (window == "rectangular") {
        return 1;
    }
    if (window == "hann") {
        return 0.5 + 0.5 * std::cos(pi * u);
    }
    if (window == "hamming") {
        return 0.54 + 0.46 * std::cos(pi * u);
    }
    if (window == "blackman") {
        return 0.42 + 0.5 * std::cos(pi * u) + 0.08 * std::cos(2 * pi * u);
    }
    if (window == "kaiser") {
        const double beta = 8.6;
        return bessel_i0(beta * std::sqrt(1 - u * u)) / bessel_i0(beta);
    }
    throw std::invalid_argument(
        "channelizer: window \"" + window +
        "\" is not known; it must be rectangular, hann, hamming, blackman or kaiser");
}

} // namespace

std::vector<double>
prototype(std::size_t points, unsigned taps, const std::string& window)
{
    if (points < 1) {
        throw std::invalid_argument(
            "channelizer: a transform of 0 points; it must be at least 1");
    }
    if (taps < 1 || taps > 32) {
        throw std::invalid_argument("channelizer: taps is " + std::to_string(taps) +
                                    "; it must be 1 to 32");
    }
    const std::size_t length = points * taps;
    const double middle = 0.5 * static_cast<double>(length - 1);
    std::vector<double> h(length);
    double power = 0;
    for (std::size_t n = 0; n < length; n++) {
        // Distances from the middle are the same on both sides to the last bit, and so
        // are the coefficients.
        const double distance = std::abs(static_cast<double>(n) - middle);
        h[n] = window_at(window, length > 1 ? distance / middle : 0);
        if (taps > 1) {
            h[n] *= sinc(distance / static_cast<double>(points));
        }
        power += h[n] * h[n];
    }
    if (power < 1e-12) {
        throw std::invalid_argument("channelizer: a " + window + " window over " +
                                    std::to_string(length) +
                                    " samples is zero everywhere; take more channels or "
                                    "taps, or the rectangular window");
    }
    const double g = std::sqrt(static_cast<double>(points) / power);
    for (auto& value : h) {
        value *= g;
    }
    return h;
}

} // namespace kernels
} // namespace fringe
} // namespace gr
