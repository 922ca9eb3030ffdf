/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/quantized.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

constexpr int last = 6; // highest power of |x|^2 that is needed
constexpr double min_sigma = 0.5, largest_clip = 0.9;
using powers = std::array<double, last + 1>; // E p^n of p = |x|^2

constexpr double choose(int n, int k)
{
    return k == 0 ? 1 : choose(n - 1, k - 1) * n / k;
}

// Of a complex Gaussian whose parts have this standard deviation, rounded and clipped.
powers quantized_powers(double sigma, int clip)
{
    const auto above = [&](double x) {
        return std::erfc(x / sigma / std::sqrt(2.0)) / 2;
    };
    powers part{}, both{};
    for (int k = 0; k <= clip; ++k) {
        const double p = k == 0      ? 1 - 2 * above(0.5)
                         : k == clip ? 2 * above(k - 0.5)
                                     : 2 * (above(k - 0.5) - above(k + 0.5));
        double square = 1;
        for (double& moment : part) {
            moment += p * square;
            square *= k * k;
        }
    }
    for (int n = 0; n <= last; ++n) {
        for (int k = 0; k <= n; ++k) {
            both[n] += choose(n, k) * part[k] * part[n - k];
        }
    }
    return both;
}

// E (p/p1 - 1)^i (p^2/p2 - 1)^j
double joint(const powers& p, int i, int j)
{
    double sum = 0;
    for (int k = 0; k <= i; ++k) {
        for (int l = 0; l <= j; ++l) {
            sum += choose(i, k) * choose(j, l) * ((i - k + j - l) % 2 ? -1 : 1) *
                   p[k + 2 * l] / std::pow(p[1], k) / std::pow(p[2], l);
        }
    }
    return sum;
}

/*!
 * T = m S2 / S1^2 as (1 + B) / (1 + A)^c, A and B means of m, to second order. c = 2, and
 * what the expectation itself moves with the power that it is looked up by.
 */
quantized_noise::effect expand(const powers& p, double c)
{
    const double t = p[2] / (p[1] * p[1]);
    const double aa = joint(p, 2, 0), ab = joint(p, 1, 1), bb = joint(p, 0, 2);
    const double variance = bb - 2 * c * ab + c * c * aa;
    const double la = ab - c * aa, lb = bb - c * ab;
    const double third = joint(p, 0, 3) - 3 * c * joint(p, 1, 2) +
                         3 * c * c * joint(p, 2, 1) - c * c * c * joint(p, 3, 0) +
                         6 * (c * (c + 1) / 2 * la * la - c * la * lb);
    quantized_noise::effect e;
    e.kurtosis = t - 1;
    e.bias = t * (c * (c + 1) / 2 * aa - c * ab) + 2 * (t - 1);
    e.scatter = t * std::sqrt(variance) / 2;              // that of ideal noise is 2
    e.asymmetry = third / std::pow(variance, 1.5) / 10.0; // and 10
    return e;
}

} // namespace

std::size_t quantized_noise::bin(float power)
{
    // Sign, exponent and the first five bits of the mantissa, from 2^-4 on.
    std::uint32_t bits;
    std::memcpy(&bits, &power, sizeof(bits));
    constexpr std::uint32_t first = (127 - 4) * 32;
    return std::max<std::uint32_t>(bits >> 18, first) - first;
}

quantized_noise::quantized_noise(int clip)
    : d_effects(bin(2.0f * static_cast<float>(clip * clip)) + 1, effect{0, 0, 0, 0})
{
    const double top = largest_clip * 2 * clip * clip; // mean power near all clipped
    constexpr double step = 1.005;
    for (double sigma = min_sigma; sigma < 10.0 * clip; sigma *= step) {
        const powers p = quantized_powers(sigma, clip);
        if (p[1] > top) {
            break;
        }
        const powers up = quantized_powers(sigma * step, clip);
        const double slope = std::log(up[2] / p[2]) / std::log(up[1] / p[1]);
        d_effects[bin(static_cast<float>(p[1]))] = expand(p, slope);
    }
    // Where the steps are finer than those of sigma.
    for (std::size_t k = 1; k < d_effects.size(); ++k) {
        if (d_effects[k].scatter == 0 && d_effects[k - 1].scatter > 0 &&
            k < bin(static_cast<float>(top))) {
            d_effects[k] = d_effects[k - 1];
        }
    }
}

} // namespace gr::fringe::kernels
