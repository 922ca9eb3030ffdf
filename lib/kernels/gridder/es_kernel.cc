/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/es_kernel.h"
#include <cmath>
#include <map>
#include <mutex>

namespace gr::fringe::kernels {

es_kernel::es_kernel(double error, double oversampling)
{
    // The search takes milliseconds, as long as a small image.
    static std::mutex guard;
    static std::map<std::pair<double, double>, es_kernel> known;
    const std::lock_guard<std::mutex> lock(guard);
    const auto found = known.find({error, oversampling});
    if (found != known.end()) {
        *this = found->second;
        return;
    }
    search(error, oversampling);
    known.emplace(std::pair(error, oversampling), *this);
}

void es_kernel::search(double error, double oversampling)
{
    for (d_support = 3;; d_support++) {
        // The best shape lies somewhat below that whose transform ends where the first
        // alias begins.
        const double edge = M_PI * (1 - 0.5 / oversampling) * d_support;
        double best = 1, best_shape = edge;
        for (double part = 0.84; part < 0.995; part += 0.01) {
            set_shape(part * edge);
            const double now = misfit(oversampling);
            if (now < best) {
                best = now;
                best_shape = d_shape;
            }
        }
        set_shape(best_shape);
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

// With t = W / 2 sin(a) the integrand of the transform is smooth, and the midpoint rule exact.
void es_kernel::set_shape(double shape)
{
    d_shape = shape;
    for (int k = 0; k < points; k++) { // half of it; the other is its mirror
        const double a = (k + 0.5) / points * M_PI / 2;
        d_heights[k] = std::exp(shape * (std::cos(a) - 1)) * std::cos(a) * d_support *
                       M_PI / 2 / points;
        d_places[k] = M_PI * d_support * std::sin(a);
    }
}

double es_kernel::transform(double s) const
{
    double sum = 0;
    for (int k = 0; k < points; k++) {
        sum += d_heights[k] * std::cos(d_places[k] * s);
    }
    return sum;
}

double es_kernel::misfit(double oversampling) const
{
    constexpr int some = 9;
    double sum = 0;
    for (int k = 0; k < some; k++) {
        const double s = 0.5 / oversampling * k / (some - 1);
        double aliases = 0;
        for (int m = 1; m <= 3; m++) {
            aliases += std::pow(transform(s + m), 2) + std::pow(transform(s - m), 2);
        }
        sum += aliases / std::pow(transform(s), 2);
    }
    return std::sqrt(sum / some);
}

} // namespace gr::fringe::kernels
