/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/es_kernel.h"
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

es_kernel::es_kernel(double error, double oversampling)
{
    for (d_support = 3;; d_support++) {
        // The best shape lies somewhat below that whose transform ends where the first
        // alias begins.
        const double edge = M_PI * (1 - 0.5 / oversampling) * d_support;
        double best = 1, best_shape = edge;
        for (double part = 0.84; part < 0.995; part += 0.01) {
            d_shape = part * edge;
            const double now = misfit(oversampling);
            if (now < best) {
                best = now;
                best_shape = d_shape;
            }
        }
        d_shape = best_shape;
        d_reached = best <= error;
        if (d_reached || d_support == max_support) {
            return;
        }
    }
}

double es_kernel::operator()(double t) const
{
    const double x = 2 * t / d_support;
    return std::abs(x) > 1 ? 0 : std::exp(d_shape * (std::sqrt(1 - x * x) - 1));
}

double es_kernel::transform(double s) const
{
    // With t = W / 2 sin(a) the integrand is smooth, and the midpoint rule exact.
    constexpr int points = 48;
    double sum = 0;
    for (int k = 0; k < points; k++) { // half of it; the other is its mirror
        const double a = (k + 0.5) / points * M_PI / 2;
        sum += std::exp(d_shape * (std::cos(a) - 1)) * std::cos(a) *
               std::cos(M_PI * d_support * s * std::sin(a));
    }
    return sum * d_support * M_PI / 2 / points;
}

double es_kernel::misfit(double oversampling) const
{
    constexpr int points = 9;
    double sum = 0;
    for (int k = 0; k < points; k++) {
        const double s = 0.5 / oversampling * k / (points - 1);
        double aliases = 0;
        for (int m = 1; m <= 3; m++) {
            aliases += std::pow(transform(s + m), 2) + std::pow(transform(s - m), 2);
        }
        sum += aliases / std::pow(transform(s), 2);
    }
    return std::sqrt(sum / points);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
