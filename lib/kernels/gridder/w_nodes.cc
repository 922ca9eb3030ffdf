/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/w_nodes.h"
#include <cmath>
#include <complex>

namespace gr::fringe::kernels {

w_nodes::w_nodes(double error, double turns, std::size_t maximum)
{
    for (std::size_t count = 1; count <= maximum; count++) {
        set(count);
        if (misfit(turns) <= error) {
            return;
        }
    }
    d_count = 0;
}

void w_nodes::set(std::size_t count)
{
    d_count = count;
    for (std::size_t k = 0; k < count; k++) {
        d_places[k] = 0.5 - 0.5 * std::cos(M_PI * (double(k) + 0.5) / double(count));
    }
}

double w_nodes::weight(std::size_t plane, double t) const
{
    double product = 1;
    for (std::size_t k = 0; k < d_count; k++) {
        if (k != plane) {
            product *= (t - d_places[k]) / (d_places[plane] - d_places[k]);
        }
    }
    return product;
}

//! Rms over w and n - 1, both of which are taken to lie anywhere in their ranges.
double w_nodes::misfit(double turns) const
{
    constexpr int some = 16;
    double sum = 0;
    for (int a = 0; a < some; a++) {
        const double t = (a + 0.5) / some;
        for (int b = 0; b < some; b++) {
            const double phase = 2 * M_PI * turns * ((b + 0.5) / some - 0.5);
            std::complex<double> error = -std::polar(1.0, phase * t);
            for (std::size_t k = 0; k < d_count; k++) {
                error += weight(k, t) * std::polar(1.0, phase * d_places[k]);
            }
            sum += std::norm(error);
        }
    }
    return std::sqrt(sum / (some * some));
}

} // namespace gr::fringe::kernels
