/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/scale_shape.h"
#include <cmath>
#include <numeric>

namespace gr::fringe::kernels {

scale_shape::scale_shape(double d) : diameter(d)
{
    const std::size_t half = std::size_t(std::ceil(d / 2));
    size = {2 * half + 1, 2 * half + 1};
    values.resize(size.pixels());
    for (std::size_t k = 0; k < values.size(); k++) {
        const double r = std::hypot(double(k / size.columns) - double(half),
                                    double(k % size.columns) - double(half));
        if (r < d / 2) {
            const double x = 2 * r / d;
            values[k] = float((1 - x * x) * (1 + std::cos(M_PI * x)) / 2);
        }
    }
    values[values.size() / 2] = 1;
    const float sum = float(std::accumulate(values.begin(), values.end(), 0.0));
    for (auto& value : values) {
        value /= sum;
    }
}

double scale_preference(double diameter, double smallest, double bias)
{
    return diameter > 0 ? std::pow(2 * bias, -1 - std::log2(diameter / smallest)) : 1;
}

} // namespace gr::fringe::kernels
