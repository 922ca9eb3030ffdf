/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/image/imaging_weights.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

imaging_weights::imaging_weights(const gridder_params& p)
    : d_columns(p.columns),
      d_rows(p.rows),
      d_u_cells(double(p.columns) * p.pixel_l / 299792458.0),
      d_v_cells(double(p.rows) * p.pixel_m / 299792458.0),
      d_density(p.columns * p.rows)
{
}

//! use(weight, cell, its number) for all visibilities that have weight.
template <class F>
void imaging_weights::each(const visibility_rows& at,
                           const float* weights,
                           const F& use) const
{
    const auto periodic = [](double x, std::size_t n) {
        const double size = double(n), k = std::floor(x);
        return std::min(std::size_t(k - size * std::floor(k / size)), n - 1);
    };
    for (std::size_t r = 0; r < at.rows; r++) {
        const double* b = at.uvw + 3 * r;
        const double sign = b[1] < 0 || (b[1] == 0 && b[0] < 0) ? -1 : 1;
        for (std::size_t c = 0; c < at.channels; c++) {
            const std::size_t k = r * at.channels + c;
            if (weights[k] > 0) {
                const double f = sign * at.frequencies[c];
                use(weights[k],
                    periodic(b[1] * f * d_v_cells, d_rows) * d_columns +
                        periodic(b[0] * f * d_u_cells, d_columns),
                    k);
            }
        }
    }
}

void imaging_weights::add(const visibility_rows& at, const float* weights)
{
    each(at, weights, [this](float weight, std::size_t cell, std::size_t) {
        d_density[cell] += double(weight);
        d_total += double(weight);
    });
}

void imaging_weights::apply_uniform(const visibility_rows& at, float* weights) const
{
    each(at, weights, [&](float weight, std::size_t cell, std::size_t k) {
        weights[k] = d_density[cell] > 0 ? float(double(weight) / d_density[cell]) : 0;
    });
}

void imaging_weights::apply_briggs(const visibility_rows& at,
                                   double robust,
                                   float* weights) const
{
    double squares = 0;
    for (const double d : d_density) {
        squares += d * d;
    }
    const double f = 5 * std::pow(10, -robust);
    const double factor = squares > 0 ? f * f * d_total / squares : 0;
    each(at, weights, [&](float weight, std::size_t cell, std::size_t k) {
        weights[k] = float(double(weight) / (1 + d_density[cell] * factor));
    });
}

} // namespace gr::fringe::kernels
