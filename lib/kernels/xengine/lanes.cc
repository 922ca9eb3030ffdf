/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/lanes.h"
#include "kernels/simd.h"
#include "kernels/types.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

typedef std::int8_t octets __attribute__((vector_size(8)));
typedef std::int16_t eight_shorts __attribute__((vector_size(16)));
typedef std::int32_t integers __attribute__((vector_size(32)));
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

//! Four spectra of eight channels to [spectrum][re, im][channel].
__attribute__((always_inline)) inline void
turn_four(const float* from, std::size_t stride, float* to)
{
    turn_two(from, stride, to);
    turn_two(from + 4, stride, to + 4 * lanes);
}
__attribute__((always_inline)) inline void
turn_four(const std::int8_t* from, std::size_t stride, float* to)
{
    alignas(32) float wide[lanes * 8];
    for (std::size_t c = 0; c < lanes; c++) {
        // In steps that are one instruction each.
        octets narrow;
        std::memcpy(&narrow, from + c * stride, sizeof(narrow));
        const auto shorts = __builtin_convertvector(narrow, eight_shorts);
        const auto longs = __builtin_convertvector(shorts, integers);
        store(__builtin_convertvector(longs, floats), wide + 8 * c);
    }
    turn_four(wide, 8, to);
}

//! `count` spectra of up to eight channels, `stride` values apart.
template <class In>
__attribute__((always_inline)) inline void turn(const In* from,
                                                std::size_t stride,
                                                std::size_t channels,
                                                std::size_t count,
                                                float* to)
{
    std::size_t t = 0;
    if (channels == lanes) {
        for (; t + 4 <= count; t += 4) {
            turn_four(from + 2 * t, stride, to + 2 * lanes * t);
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

//! All pairs of turned inputs [input][spectrum][re, im][channel], `step` apart.
template <class Sum>
__attribute__((always_inline)) inline void multiply_all(
    const float* x, std::size_t inputs, std::size_t step, std::size_t count, Sum* sums)
{
    Sum* row[2] = {sums, sums}; // of inputs i and i + 1, from the diagonal on
    for (std::size_t i = 0; i < inputs; i += 2) {
        const float* a = x + i * step;
        if (i + 1 == inputs) {
            add_power(a, count, row[0]);
            return;
        }
        row[1] = row[0] + 2 * lanes * (inputs - i);
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
        row[0] = row[1] + 2 * lanes * (inputs - i - 1);
    }
}

template <class In, class Sum>
__attribute__((always_inline)) inline void add_lanes(const In* rows,
                                                     std::size_t inputs,
                                                     std::size_t stride,
                                                     std::size_t count,
                                                     std::size_t channels,
                                                     Sum* sums)
{
    // Spectra that are turned together. Few inputs: long runs of a row. More: a cache line
    // of a row, so that what is turned stays in the first-level cache. Many: it cannot, so
    // there are more, with fewer additions to the sums.
    const std::size_t most = inputs <= 8 ? 32 : inputs <= 64 ? 8 : 16;
    const std::size_t step = 2 * lanes * most;
    alignas(64) float x[max_lane_inputs * 2 * lanes * 16];
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

} // namespace

FRINGE_SIMD void add_lanes_f32(const float* rows,
                               std::size_t inputs,
                               std::size_t stride,
                               std::size_t count,
                               std::size_t channels,
                               float* sums)
{
    add_lanes(rows, inputs, stride, count, channels, sums);
}

FRINGE_SIMD void add_lanes_i8(const std::int8_t* rows,
                              std::size_t inputs,
                              std::size_t stride,
                              std::size_t count,
                              std::size_t channels,
                              std::int32_t* sums)
{
    add_lanes(rows, inputs, stride, count, channels, sums);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
