/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/products.h"
#include "kernels/base/simd.h"
#include "kernels/base/types.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

//! Two rows a with two rows b: [a][b] real parts, then imaginary ones.
__attribute__((always_inline)) inline void dot_2x2(const std::int16_t* xa,
                                                   const std::int16_t* ya,
                                                   const std::int16_t* xb,
                                                   std::size_t stride_a,
                                                   std::size_t stride_b,
                                                   std::size_t values,
                                                   std::int32_t out[8])
{
    std::int32_t r00 = 0, r01 = 0, r10 = 0, r11 = 0;
    std::int32_t i00 = 0, i01 = 0, i10 = 0, i11 = 0;
    const std::int16_t *xa1 = xa + stride_a, *ya1 = ya + stride_a, *xb1 = xb + stride_b;
    // A trip count known to be a multiple of the vector leaves out the scalar remainder.
    for (std::size_t t = 0; t < values / product_step * product_step; t++) {
        r00 += xa[t] * xb[t];
        r01 += xa[t] * xb1[t];
        r10 += xa1[t] * xb[t];
        r11 += xa1[t] * xb1[t];
        i00 += ya[t] * xb[t];
        i01 += ya[t] * xb1[t];
        i10 += ya1[t] * xb[t];
        i11 += ya1[t] * xb1[t];
    }
    const std::int32_t all[8] = {r00, r01, r10, r11, i00, i01, i10, i11};
    std::copy(all, all + 8, out);
}

} // namespace

FRINGE_SIMD void add_products_i16(const std::int16_t* x,
                                  const std::int16_t* y,
                                  std::size_t inputs,
                                  std::size_t stride,
                                  std::size_t values,
                                  std::int32_t* sums)
{
    std::int32_t dots[8];
    for (std::size_t i = 0; i < inputs; i += 2) {
        for (std::size_t j = i; j < inputs; j += 2) {
            // An odd last row stands for its missing neighbor.
            dot_2x2(x + i * stride,
                    y + i * stride,
                    x + j * stride,
                    i + 1 < inputs ? stride : 0,
                    j + 1 < inputs ? stride : 0,
                    values,
                    dots);
            for (std::size_t a = 0; a < 2; a++) {
                for (std::size_t b = 0; b < 2; b++) {
                    if (i + a <= j + b && i + a < inputs && j + b < inputs) {
                        const auto at = 2 * baseline_index(i + a, j + b, inputs);
                        sums[at] += dots[2 * a + b];
                        sums[at + 1] += dots[4 + 2 * a + b];
                    }
                }
            }
        }
    }
}

FRINGE_SIMD void widen_pairs(const std::int8_t* in,
                             std::size_t count,
                             std::size_t values,
                             std::int16_t* __restrict x,
                             std::int16_t* __restrict y)
{
    for (std::size_t t = 0; t < count; t++) {
        x[2 * t] = in[2 * t];
        x[2 * t + 1] = in[2 * t + 1];
        y[2 * t] = in[2 * t + 1];
        y[2 * t + 1] = static_cast<std::int16_t>(-in[2 * t]);
    }
    std::fill(x + 2 * count, x + values, std::int16_t(0));
    std::fill(y + 2 * count, y + values, std::int16_t(0));
}

} // namespace gr::fringe::kernels
