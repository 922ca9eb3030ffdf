/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/transform/image_corrections.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t side = 16; // of a tile: a cache line of pixels
constexpr std::size_t entries = 8192;

//! The correction of n - 1 = -r / (1 + sqrt(1 - r)), r = l^2 + m^2, times that of a column
//! and of the row; 0 below the horizon.
FRINGE_SIMD void row_factors(const double* l2,
                             const float* u,
                             std::size_t count,
                             double m2,
                             float v,
                             const float* table,
                             double per_entry,
                             float* out)
{
    for (std::size_t k = 0; k < count; k++) {
        const double r = l2[k] + m2, under = std::min(r, 1.0);
        const double at = under / (1 + std::sqrt(1 - under)) * per_entry;
        const auto entry = std::int32_t(at);
        const float part = float(at - entry);
        const float deep = (1 - part) * table[entry] + part * table[entry + 1];
        out[k] = r < 1 ? u[k] * v * deep : 0;
    }
}

std::vector<float> along(std::size_t pixels, std::size_t cells, const es_kernel& kernel)
{
    std::vector<float> factors(pixels);
    for (std::size_t k = 0; k < pixels; k++) {
        const double s = double(long(k) - long(pixels / 2)) / double(cells);
        factors[k] = float(1 / kernel.transform(s));
    }
    return factors;
}

} // namespace

image_corrections::image_corrections(const gridder_params& p,
                                     const grid_plan& plan,
                                     workers& all)
    : d_p(p),
      d_workers(all),
      d_pitch((p.rows + side - 1) / side / 2 * 2 * side + side),
      d_u(along(p.columns, plan.nu, plan.kernel)),
      d_v(along(p.rows, plan.nv, plan.kernel)),
      d_factors(all.slots(), std::vector<float>(side * p.columns))
{
    for (std::size_t i = 0; i < p.columns; i++) {
        d_l2.push_back(std::pow((double(i) - double(p.columns / 2)) * p.pixel_l, 2));
    }
    d_w.assign(3, 1.f); // nothing depends on n
    if (plan.planes_in_w && !plan.nodes.count()) {
        // Linear between this number of entries is right to 1e-7.
        d_per_entry = entries / (2 * -plan.middle);
        d_w.resize(entries + 2);
        for (std::size_t k = 0; k < d_w.size(); k++) {
            d_w[k] =
                float(plan.w_correction(-double(std::min(k, entries)) / d_per_entry));
        }
    }
}

void image_corrections::factors_of(std::size_t row, float* factors) const
{
    const double m = (double(row) - double(d_p.rows / 2)) * d_p.pixel_m;
    row_factors(d_l2.data(),
                d_u.data(),
                d_p.columns,
                m * m,
                d_v[row],
                d_w.data(),
                d_per_entry,
                factors);
}

//! Calls tile(first row, its end, first column, its end, factors of the rows).
template <class F>
void image_corrections::tiles(const F& tile) const
{
    const std::size_t parts = (d_p.rows + side - 1) / side;
    d_workers.run(parts, [&](std::size_t part, unsigned slot) {
        const std::size_t j0 = part * side, j1 = std::min(j0 + side, d_p.rows);
        float* const factors = d_factors[slot].data();
        for (std::size_t j = j0; j < j1; j++) {
            factors_of(j, factors + (j - j0) * d_p.columns);
        }
        for (std::size_t i0 = 0; i0 < d_p.columns; i0 += side) {
            tile(j0, j1, i0, std::min(i0 + side, d_p.columns), factors);
        }
    });
}

void image_corrections::add(const float* columns, float* image) const
{
    tiles([&](std::size_t j0,
              std::size_t j1,
              std::size_t i0,
              std::size_t i1,
              const float* factors) {
        for (std::size_t j = j0; j < j1; j++) {
            const float* f = factors + (j - j0) * d_p.columns;
            for (std::size_t i = i0; i < i1; i++) {
                image[j * d_p.columns + i] += columns[i * d_pitch + j] * f[i];
            }
        }
    });
}

void image_corrections::take(const float* image, float* columns) const
{
    tiles([&](std::size_t j0,
              std::size_t j1,
              std::size_t i0,
              std::size_t i1,
              const float* factors) {
        for (std::size_t i = i0; i < i1; i++) {
            for (std::size_t j = j0; j < j1; j++) {
                const float f = factors[(j - j0) * d_p.columns + i];
                // Pixels below the horizon may be anything, not-a-numbers too.
                columns[i * d_pitch + j] = f == 0 ? 0 : image[j * d_p.columns + i] * f;
            }
        }
    });
}

} // namespace gr::fringe::kernels
