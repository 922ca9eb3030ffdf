/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/products.h"
#include "kernels/simd.h"
#include "kernels/types.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! Two spectra (re, im) of a channel.
typedef float half_row __attribute__((vector_size(16)));

//! Two spectra of eight channels, `stride` apart: to [spectrum][re, im][channel].
__attribute__((always_inline)) inline void
turn_two(const float* from, std::size_t stride, float* to)
{
    floats rows[4]; // of channels c and c + 4
    for (std::size_t c = 0; c < 4; c++) {
        half_row low, high;
        std::memcpy(&low, from + c * stride, sizeof(low));
        std::memcpy(&high, from + (c + 4) * stride, sizeof(high));
        rows[c] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const auto lows = [](const floats& a, const floats& b, floats& out) {
        out = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    };
    const auto highs = [](const floats& a, const floats& b, floats& out) {
        out = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    };
    floats first_even, first_odd, second_even, second_odd, turned;
    lows(rows[0], rows[2], first_even);
    lows(rows[1], rows[3], first_odd);
    highs(rows[0], rows[2], second_even);
    highs(rows[1], rows[3], second_odd);
    lows(first_even, first_odd, turned);
    store(turned, to);
    highs(first_even, first_odd, turned);
    store(turned, to + lanes);
    lows(second_even, second_odd, turned);
    store(turned, to + 2 * lanes);
    highs(second_even, second_odd, turned);
    store(turned, to + 3 * lanes);
}

//! `count` spectra of up to eight channels: to [spectrum][re, im][channel].
__attribute__((always_inline)) inline void turn(const float* from,
                                                std::size_t stride,
                                                std::size_t channels,
                                                std::size_t count,
                                                float* to)
{
    std::size_t t = 0;
    if (channels == lanes) {
        for (; t + 2 <= count; t += 2) {
            turn_two(from + 2 * t, stride, to + 2 * lanes * t);
        }
    }
    for (; t < count; t++) {
        for (std::size_t c = 0; c < channels; c++) {
            to[2 * lanes * t + c] = from[c * stride + 2 * t];
            to[2 * lanes * t + lanes + c] = from[c * stride + 2 * t + 1];
        }
    }
}

__attribute__((always_inline)) inline void add(const floats& more, float* sum)
{
    floats s;
    load(s, sum);
    s += more;
    store(s, sum);
}

/*!
 * Turned rows of inputs a and, `step` further on, a + 1 ... with those of b, b + 1 ...
 * : a conj(b), to sums[a][b].
 */
template <std::size_t as, std::size_t bs>
__attribute__((always_inline)) inline void multiply(const float* a,
                                                    const float* b,
                                                    std::size_t step,
                                                    std::size_t count,
                                                    float* const* sums)
{
    floats re[as][bs] = {}, im[as][bs] = {}, ar[as], ai[as], br, bi;
    for (std::size_t t = 0; t < 2 * lanes * count; t += 2 * lanes) {
        for (std::size_t i = 0; i < as; i++) {
            load(ar[i], a + i * step + t);
            load(ai[i], a + i * step + t + lanes);
        }
        for (std::size_t j = 0; j < bs; j++) {
            load(br, b + j * step + t);
            load(bi, b + j * step + t + lanes);
            for (std::size_t i = 0; i < as; i++) {
                re[i][j] += ar[i] * br;
                im[i][j] += ai[i] * br;
                re[i][j] += ai[i] * bi;
                im[i][j] -= ar[i] * bi;
            }
        }
    }
    for (std::size_t i = 0; i < as; i++) {
        for (std::size_t j = 0; j < bs; j++) {
            add(re[i][j], sums[i] + 2 * lanes * j);
            add(im[i][j], sums[i] + 2 * lanes * j + lanes);
        }
    }
}

//! The power of a turned row has no imaginary part.
__attribute__((always_inline)) inline void
add_power(const float* a, std::size_t count, float* sum)
{
    floats aa = {}, ar, ai;
    for (std::size_t t = 0; t < 2 * lanes * count; t += 2 * lanes) {
        load(ar, a + t);
        load(ai, a + t + lanes);
        aa += ar * ar;
        aa += ai * ai;
    }
    add(aa, sum);
}

//! Turned rows of inputs a and b with themselves and each other.
__attribute__((always_inline)) inline void
multiply_diagonal(const float* a, const float* b, std::size_t count, float* const* sums)
{
    floats aa = {}, bb = {}, re = {}, im = {}, ar, ai, br, bi;
    for (std::size_t t = 0; t < 2 * lanes * count; t += 2 * lanes) {
        load(ar, a + t);
        load(ai, a + t + lanes);
        load(br, b + t);
        load(bi, b + t + lanes);
        aa += ar * ar;
        bb += br * br;
        re += ar * br;
        im += ai * br;
        aa += ai * ai;
        bb += bi * bi;
        re += ai * bi;
        im -= ar * bi;
    }
    add(aa, sums[0]);
    add(re, sums[0] + 2 * lanes);
    add(im, sums[0] + 3 * lanes);
    add(bb, sums[1]);
}

//! All pairs of turned inputs [input][spectrum][re, im][channel], `step` apart.
__attribute__((always_inline)) inline void multiply_all(
    const float* x, std::size_t inputs, std::size_t step, std::size_t count, float* sums)
{
    float* row[2] = {sums, sums}; // of inputs i and i + 1, from the diagonal on
    for (std::size_t i = 0; i < inputs; i += 2) {
        const float* a = x + i * step;
        if (i + 1 == inputs) {
            add_power(a, count, row[0]);
            return;
        }
        row[1] = row[0] + 2 * lanes * (inputs - i);
        multiply_diagonal(a, a + step, count, row);
        float* to[2] = {row[0] + 4 * lanes, row[1] + 2 * lanes};
        std::size_t j = i + 2;
        for (; j + 2 <= inputs; j += 2) {
            multiply<2, 2>(a, x + j * step, step, count, to);
            to[0] += 4 * lanes;
            to[1] += 4 * lanes;
        }
        if (j < inputs) {
            multiply<2, 1>(a, x + j * step, step, count, to);
        }
        row[0] = row[1] + 2 * lanes * (inputs - i - 1);
    }
}

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

FRINGE_SIMD void add_products_f32(const float* rows,
                                  std::size_t inputs,
                                  std::size_t stride,
                                  std::size_t count,
                                  std::size_t channels,
                                  float* sums)
{
    // Spectra that are turned together: what is turned stays in the first-level cache, or
    // in the second one with few additions to the sums.
    const std::size_t most = inputs <= 64 ? 8 : 16;
    const std::size_t step = 2 * lanes * most;
    alignas(64) float x[max_f32_inputs * 2 * lanes * 16];
    for (std::size_t c = 0; c < channels; c += lanes) {
        const std::size_t side_by_side = std::min(lanes, channels - c);
        for (std::size_t t = 0; t < count; t += most) {
            const std::size_t n = std::min(most, count - t);
            for (std::size_t i = 0; i < inputs; i++) {
                turn(rows + 2 * (i * stride + t),
                     2 * inputs * stride,
                     side_by_side,
                     n,
                     x + i * step);
            }
            multiply_all(x, inputs, step, n, sums);
        }
        rows += 2 * lanes * inputs * stride;
        sums += 2 * lanes * baselines(inputs);
    }
}

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
            // An odd last row stands for its missing neighbour.
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

} // namespace kernels
} // namespace fringe
} // namespace gr
