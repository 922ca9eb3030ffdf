/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_LANES_SUMS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_LANES_SUMS_H

#include "kernels/base/simd.h"
#include "kernels/base/types.h"
#include "kernels/xengine/lanes.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

// The products of inputs whose channels stand side by side, eight in a vector, whatever the
// layout that they were brought there from.

typedef std::int8_t octets __attribute__((vector_size(8)));
typedef std::int16_t eight_shorts __attribute__((vector_size(16)));
typedef std::int32_t integers __attribute__((vector_size(32)));

//! In steps that are one instruction each.
__attribute__((always_inline)) inline void widen(const octets& from, floats& to)
{
    const auto shorts = __builtin_convertvector(from, eight_shorts);
    const auto longs = __builtin_convertvector(shorts, integers);
    to = __builtin_convertvector(longs, floats);
}

__attribute__((always_inline)) inline void add(const floats& more, float* sum)
{
    floats s;
    load(s, sum);
    s += more;
    store(s, sum);
}
__attribute__((always_inline)) inline void add(const floats& more, std::int32_t* sum)
{
    integers s;
    std::memcpy(&s, sum, sizeof(s));
    s += __builtin_convertvector(more, integers);
    std::memcpy(sum, &s, sizeof(s));
}

/*!
 * Turned rows of inputs a and, `step` further on, a + 1 ... with those of b, b + 1 ...
 * : a conj(b), to sums[a][b].
 */
template <std::size_t as, std::size_t bs, class Sum>
__attribute__((always_inline)) inline void multiply(
    const float* a, const float* b, std::size_t step, std::size_t count, Sum* const* sums)
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
template <class Sum>
__attribute__((always_inline)) inline void
add_power(const float* a, std::size_t count, Sum* sum)
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
template <class Sum>
__attribute__((always_inline)) inline void
multiply_diagonal(const float* a, const float* b, std::size_t count, Sum* const* sums)
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

/*!
 * All pairs of turned inputs [input][spectrum][re, im][channel], `step` apart. Behind them
 * are `beyond` more inputs, whose products stand between those of these ones.
 */
template <class Sum>
__attribute__((always_inline)) inline void multiply_all(const float* x,
                                                        std::size_t inputs,
                                                        std::size_t step,
                                                        std::size_t count,
                                                        std::size_t beyond,
                                                        Sum* sums)
{
    Sum* row[2] = {sums, sums}; // of inputs i and i + 1, from the diagonal on
    for (std::size_t i = 0; i < inputs; i += 2) {
        const float* a = x + i * step;
        if (i + 1 == inputs) {
            add_power(a, count, row[0]);
            return;
        }
        row[1] = row[0] + 2 * lanes * (inputs - i + beyond);
        multiply_diagonal(a, a + step, count, row);
        Sum* to[2] = {row[0] + 4 * lanes, row[1] + 2 * lanes};
        std::size_t j = i + 2;
        for (; j + 2 <= inputs; j += 2) {
            multiply<2, 2>(a, x + j * step, step, count, to);
            to[0] += 4 * lanes;
            to[1] += 4 * lanes;
        }
        if (j < inputs) {
            multiply<2, 1>(a, x + j * step, step, count, to);
        }
        row[0] = row[1] + 2 * lanes * (inputs - i - 1 + beyond);
    }
}

/*!
 * Turned inputs a, an even number, with turned inputs b behind them. `sums`: of the first a
 * with the first b; from there to the second a with the first b there are `row` products.
 */
template <class Sum>
__attribute__((always_inline)) inline void multiply_tile(const float* a,
                                                         std::size_t as,
                                                         const float* b,
                                                         std::size_t bs,
                                                         std::size_t step,
                                                         std::size_t count,
                                                         std::size_t row,
                                                         Sum* sums)
{
    for (std::size_t i = 0; i < as; i += 2) {
        Sum* to[2] = {sums, sums + 2 * lanes * row};
        std::size_t j = 0;
        for (; j + 2 <= bs; j += 2) {
            multiply<2, 2>(a + i * step, b + j * step, step, count, to);
            to[0] += 4 * lanes;
            to[1] += 4 * lanes;
        }
        if (j < bs) {
            multiply<2, 1>(a + i * step, b + j * step, step, count, to);
        }
        sums += 2 * lanes * (2 * row - 1); // each row is one shorter than the one before
        row -= 2;
    }
}

/*!
 * All channels, a group of `lanes` at a time, `most` spectra at a time:
 * stage(group, input, t, n, to) brings n spectra from t on of a group to
 * [spectrum][re, im][channel]. Of many inputs tile_inputs at a time are multiplied with as
 * many others, so that they stay in the cache, and so do their sums.
 */
template <class Stage, class Sum>
__attribute__((always_inline)) inline void add_groups(const Stage& stage,
                                                      std::size_t most,
                                                      std::size_t inputs,
                                                      std::size_t count,
                                                      std::size_t channels,
                                                      Sum* sums)
{
    const std::size_t step = 2 * lanes * most;
    const std::size_t tile = inputs <= max_whole_inputs ? inputs : tile_inputs;
    alignas(64) float x[2 * lanes * max_staged];
    float* const y = x + tile * step;
    for (std::size_t c = 0; c < channels; c += lanes) {
        Sum* corner = sums; // of the tiles on the diagonal
        for (std::size_t i = 0; i < inputs; i += tile) {
            const std::size_t as = std::min(tile, inputs - i), rest = inputs - i - as;
            for (std::size_t t = 0; t < count; t += most) {
                const std::size_t n = std::min(most, count - t);
                for (std::size_t k = 0; k < as; k++) {
                    stage(c, i + k, t, n, x + k * step);
                }
                multiply_all(x, as, step, n, rest, corner);
            }
            for (std::size_t j = i + as; j < inputs; j += tile) {
                const std::size_t bs = std::min(tile, inputs - j);
                for (std::size_t t = 0; t < count; t += most) {
                    const std::size_t n = std::min(most, count - t);
                    for (std::size_t k = 0; k < as; k++) {
                        stage(c, i + k, t, n, x + k * step);
                    }
                    for (std::size_t k = 0; k < bs; k++) {
                        stage(c, j + k, t, n, y + k * step);
                    }
                    multiply_tile(x,
                                  as,
                                  y,
                                  bs,
                                  step,
                                  n,
                                  inputs - i - 1,
                                  corner + 2 * lanes * (j - i));
                }
            }
            corner += 2 * lanes * (baselines(inputs - i) - baselines(rest));
        }
        sums += 2 * lanes * baselines(inputs);
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_LANES_SUMS_H */
