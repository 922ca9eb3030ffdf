/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/lanes_sums.h"

namespace gr::fringe::kernels {

namespace {

//! Two spectra (re, im) of a channel.
typedef float half_row __attribute__((vector_size(16)));

//! Two spectra of eight channels, `stride` apart: to [spectrum][re, im][channel].
FRINGE_INLINE void turn_two(const float* from, std::size_t stride, float* to)
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
FRINGE_INLINE void turn_four(const float* from, std::size_t stride, float* to)
{
    turn_two(from, stride, to);
    turn_two(from + 4, stride, to + 4 * lanes);
}
FRINGE_INLINE void turn_four(const std::int8_t* from, std::size_t stride, float* to)
{
    alignas(32) float wide[lanes * 8];
    for (std::size_t c = 0; c < lanes; c++) {
        octets narrow;
        floats row;
        std::memcpy(&narrow, from + c * stride, sizeof(narrow));
        widen(narrow, row);
        store(row, wide + 8 * c);
    }
    turn_four(wide, 8, to);
}

//! `count` spectra of up to eight channels, `stride` values apart.
template <class In>
FRINGE_INLINE void turn(const In* from,
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
        // Lanes of no channel are zero: what lay there would add up until it wraps.
        for (std::size_t c = 0; c < lanes; c++) {
            const In* const value = from + c * stride + 2 * t;
            to[2 * lanes * t + c] = c < channels ? value[0] : 0;
            to[2 * lanes * t + lanes + c] = c < channels ? value[1] : 0;
        }
    }
}

//! Channels are block.channel values apart, spectra follow one another.
template <std::size_t tall, class In, class Sum>
FRINGE_INLINE void add_rows(const lanes_block<In>& block,
                            std::size_t inputs,
                            std::size_t count,
                            std::size_t channels,
                            Sum* sums)
{
    // Few inputs: long runs of a row. More: a cache line of a row, so that what is turned
    // stays in the first-level cache. Many: it cannot, so there are more, with fewer
    // additions to the sums, which are in the second-level cache at best.
    const std::size_t maximum = inputs <= 8                  ? 32
                                : inputs <= 64               ? 8
                                : inputs <= max_whole_inputs ? 16
                                                             : 32;
    const auto stage = [&](
        std::size_t c, std::size_t i, std::size_t t, std::size_t n, float* to)
        __attribute__((always_inline))
    {
        turn(block.first + c * block.apart + i * block.input + 2 * t,
             block.apart,
             std::min(lanes, channels - c),
             n,
             to);
    };
    add_groups<tall>(stage, maximum, inputs, count, channels, sums);
}

FRINGE_ADD_ALL(add_rows)

} // namespace

void add_rows_f32(const lanes_block<float>& block,
                  std::size_t inputs,
                  std::size_t count,
                  std::size_t channels,
                  float* sums)
{
    add_all(block, inputs, count, channels, sums);
}

void add_rows_i8(const lanes_block<std::int8_t>& block,
                 std::size_t inputs,
                 std::size_t count,
                 std::size_t channels,
                 std::int32_t* sums)
{
    add_all(block, inputs, count, channels, sums);
}

} // namespace gr::fringe::kernels
