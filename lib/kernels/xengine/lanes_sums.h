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
FRINGE_INLINE void widen(const octets& from, floats& to)
{
    const auto shorts = __builtin_convertvector(from, eight_shorts);
    const auto longs = __builtin_convertvector(shorts, integers);
    to = __builtin_convertvector(longs, floats);
}

FRINGE_INLINE void add(const floats& more, float* sum)
{
    floats s;
    load(s, sum);
    s += more;
    store(s, sum);
}
FRINGE_INLINE void add(const floats& more, std::int32_t* sum)
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
FRINGE_INLINE void multiply(
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
FRINGE_INLINE void add_power(const float* a, std::size_t count, Sum* sum)
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
FRINGE_INLINE void
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

//! Turned inputs a, `tall` of them, with `count` turned inputs b: to[k] is where the product of
//! a + k with the first b is added.
template <std::size_t tall, class Sum>
FRINGE_INLINE void multiply_rows(const float* a,
                                 const float* b,
                                 std::size_t inputs,
                                 std::size_t step,
                                 std::size_t count,
                                 Sum** to)
{
    std::size_t j = 0;
    for (; j + 2 <= inputs; j += 2) {
        multiply<tall, 2>(a, b + j * step, step, count, to);
        for (std::size_t k = 0; k < tall; k++) {
            to[k] += 4 * lanes;
        }
    }
    if (j < inputs) {
        multiply<tall, 1>(a, b + j * step, step, count, to);
    }
}

/*!
 * All pairs of turned inputs [input][spectrum][re, im][channel], `step` apart, `tall` of them, 2
 * or 4, with others at a time. Behind them are `beyond` more inputs, whose products stand between
 * those of these ones.
 */
template <std::size_t tall, class Sum>
FRINGE_INLINE void multiply_all(const float* x,
                                std::size_t inputs,
                                std::size_t step,
                                std::size_t count,
                                std::size_t beyond,
                                Sum* sums)
{
    // From the diagonal on to that of the next input.
    const auto next = [&](Sum* row, std::size_t i) {
        return row + 2 * lanes * (inputs - i + beyond);
    };
    Sum* row[tall] = {sums};
    for (std::size_t i = 0; i < inputs;) {
        const float* const a = x + i * step;
        if (i + 1 == inputs) {
            add_power(a, count, row[0]);
            return;
        }
        row[1] = next(row[0], i);
        multiply_diagonal(a, a + step, count, row);
        if constexpr (tall == 4) {
            if (i + 4 <= inputs) {
                Sum* square[2] = {row[0] + 4 * lanes, row[1] + 2 * lanes};
                multiply<2, 2>(a, a + 2 * step, step, count, square);
                row[2] = next(row[1], i + 1);
                row[3] = next(row[2], i + 2);
                multiply_diagonal(a + 2 * step, a + 3 * step, count, row + 2);
                Sum* to[4] = {row[0] + 8 * lanes,
                              row[1] + 6 * lanes,
                              row[2] + 4 * lanes,
                              row[3] + 2 * lanes};
                multiply_rows<4>(a, a + 4 * step, inputs - i - 4, step, count, to);
                row[0] = next(row[3], i + 3);
                i += 4;
                continue;
            }
        }
        Sum* to[2] = {row[0] + 4 * lanes, row[1] + 2 * lanes};
        multiply_rows<2>(a, a + 2 * step, inputs - i - 2, step, count, to);
        row[0] = next(row[1], i + 1);
        i += 2;
    }
}

/*!
 * Turned inputs a, a multiple of `tall`, with turned inputs b behind them. `sums`: of the first a
 * with the first b; from there to the second a with the first b there are `row` products. Some
 * b at a time, which stay in the first-level cache.
 */
template <std::size_t tall, class Sum>
FRINGE_INLINE void multiply_tile(const float* a,
                                 std::size_t as,
                                 const float* b,
                                 std::size_t bs,
                                 std::size_t step,
                                 std::size_t count,
                                 std::size_t row,
                                 Sum* sums)
{
    constexpr std::size_t some = 16;
    for (std::size_t j = 0; j < bs; j += some) {
        Sum* at = sums + 2 * lanes * j;
        for (std::size_t i = 0; i < as; i += tall) {
            Sum* to[tall];
            for (std::size_t k = 0; k < tall; k++) {
                to[k] = at;
                at += 2 * lanes * (row - i - k); // each row is one shorter
            }
            multiply_rows<tall>(
                a + i * step, b + j * step, std::min(some, bs - j), step, count, to);
        }
    }
}

/*!
 * All channels, a group of `lanes` at a time, `maximum` spectra at a time:
 * stage(group, input, t, n, to) brings n spectra from t on of a group to
 * [spectrum][re, im][channel]. Of many inputs tile_inputs at a time are multiplied with as
 * many others, so that they stay in the cache, and so do their sums. With 32 registers `tall`
 * is 4: half as many sums as the two units for products have steps would wait for each other.
 */
template <std::size_t tall, class Stage, class Sum>
FRINGE_INLINE void add_groups(const Stage& stage,
                              std::size_t maximum,
                              std::size_t inputs,
                              std::size_t count,
                              std::size_t channels,
                              Sum* sums)
{
    const std::size_t step = 2 * lanes * maximum;
    const std::size_t tile = inputs <= max_whole_inputs ? inputs : tile_inputs;
    alignas(64) float x[2 * lanes * max_staged];
    float* const y = x + tile * step;
    for (std::size_t c = 0; c < channels; c += lanes) {
        Sum* corner = sums; // of the tiles on the diagonal
        for (std::size_t i = 0; i < inputs; i += tile) {
            const std::size_t as = std::min(tile, inputs - i), rest = inputs - i - as;
            for (std::size_t t = 0; t < count; t += maximum) {
                const std::size_t n = std::min(maximum, count - t);
                for (std::size_t k = 0; k < as; k++) {
                    stage(c, i + k, t, n, x + k * step);
                }
                multiply_all<tall>(x, as, step, n, rest, corner);
            }
            for (std::size_t j = i + as; j < inputs; j += tile) {
                const std::size_t bs = std::min(tile, inputs - j);
                for (std::size_t t = 0; t < count; t += maximum) {
                    const std::size_t n = std::min(maximum, count - t);
                    for (std::size_t k = 0; k < as; k++) {
                        stage(c, i + k, t, n, x + k * step);
                    }
                    for (std::size_t k = 0; k < bs; k++) {
                        stage(c, j + k, t, n, y + k * step);
                    }
                    multiply_tile<tall>(x,
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

/*!
 * FRINGE_ADD_ALL(add) writes add_all() for float and int8 samples, each for all instruction sets: by
 * the template add<tall>, with as many inputs at a time as there are registers for. A template itself
 * cannot be compiled for several.
 */
#define FRINGE_ADD_ALL_OF(simd, add, tall, In, Sum)                                      \
    simd void add_all(const lanes_block<In>& block,                                      \
                      std::size_t inputs,                                                \
                      std::size_t count,                                                 \
                      std::size_t channels,                                              \
                      Sum* sums)                                                         \
    {                                                                                    \
        add<tall>(block, inputs, count, channels, sums);                                 \
    }
#ifdef FRINGE_SIMD_512
#define FRINGE_ADD_ALL_WIDE(add, In, Sum)                                                \
    FRINGE_ADD_ALL_OF(FRINGE_SIMD_512, add, 4, In, Sum)                                  \
    FRINGE_ADD_ALL_OF(FRINGE_SIMD_256, add, 2, In, Sum)
#else
#define FRINGE_ADD_ALL_WIDE(add, In, Sum)
#endif
#define FRINGE_ADD_ALL(add)                                                              \
    FRINGE_ADD_ALL_WIDE(add, float, float)                                               \
    FRINGE_ADD_ALL_WIDE(add, std::int8_t, std::int32_t)                                  \
    FRINGE_ADD_ALL_OF(FRINGE_SIMD_128, add, 2, float, float)                             \
    FRINGE_ADD_ALL_OF(FRINGE_SIMD_128, add, 2, std::int8_t, std::int32_t)

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_LANES_SUMS_H */
