/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/cpu_sums.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t group = 8; // rows whose lanes are added up together

// Lane k of `out` is the sum of the lanes of rows[k].
template <class V>
__attribute__((always_inline)) inline void sum_lanes(const V rows[group], V& out)
{
    V pair[4], four[2];
    for (int k = 0; k < 4; k++) {
        const V &a = rows[2 * k], &b = rows[2 * k + 1];
        pair[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; k++) {
        const V &a = pair[2 * k], &b = pair[2 * k + 1];
        four[k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    out = __builtin_shufflevector(four[0], four[1], 0, 1, 2, 3, 8, 9, 10, 11) +
          __builtin_shufflevector(four[0], four[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

// One row: lanes of a and b add up to its S1 and S2. Copies what it reads.
__attribute__((always_inline)) inline void
add_row(const float* x, std::size_t count, float* copy, floats& a, floats& b)
{
    a = b = floats{};
    std::size_t t = 0;
    floats v;
    for (; t + 4 <= count; t += 4) {
        load(v, x + 2 * t);
        if (copy) {
            store(v, copy + 2 * t);
        }
        add_powers(v, a, b);
    }
    if (t < count) {
        v = floats{};
        std::memcpy(&v, x + 2 * t, 2 * (count - t) * sizeof(float));
        if (copy) {
            std::memcpy(copy + 2 * t, &v, 2 * (count - t) * sizeof(float));
        }
        add_powers(v, a, b);
    }
    b *= 0.5f;
}

// The same of int8, where a squared power is `low` + 2^16 `high`: exact, and the lanes of up to
// max_block_spectra fit into 32 bits.
__attribute__((always_inline)) inline void add_row(const std::int8_t* x,
                                                   std::size_t count,
                                                   std::int8_t* copy,
                                                   uints& sum,
                                                   uints& low,
                                                   uints& high)
{
    if (copy) {
        std::memcpy(copy, x, 2 * count);
    }
    sum = low = high = uints{};
    uints power;
    for (std::size_t t = 0; t < count;) {
        uints squares = {};
        for (std::size_t k = 0; k < squares_in_32_bits && t < count; k++, t += 8) {
            if (t + 8 <= count) {
                read_powers(x + 2 * t, power);
            } else {
                std::int8_t rest[16] = {};
                std::memcpy(rest, x + 2 * t, 2 * (count - t));
                read_powers(rest, power);
            }
            sum += power;
            squares += power * power;
        }
        low += squares & 0xffff;
        high += squares >> 16;
    }
}

} // namespace

FRINGE_SIMD void
add_rows_f32(const float* x, const block_shape& block, float* copy, float* s1, float* s2)
{
    for (std::size_t row = 0; row < block.rows; row += group) {
        floats a[group] = {}, b[group] = {};
        const std::size_t some = std::min(group, block.rows - row);
        for (std::size_t k = 0; k < some; k++) {
            const std::size_t at = (row + k) * block.stride;
            add_row(x + at, block.count, copy ? copy + at : nullptr, a[k], b[k]);
            if (copy) {
                std::copy(x + at + 2 * block.count,
                          x + at + block.stride,
                          copy + at + 2 * block.count);
            }
        }
        floats now, sum;
        load(now, s1 + row);
        sum_lanes(a, sum);
        store(now + sum, s1 + row);
        load(now, s2 + row);
        sum_lanes(b, sum);
        store(now + sum, s2 + row);
    }
}

FRINGE_SIMD void add_rows_i8(const std::int8_t* x,
                             const block_shape& block,
                             std::int8_t* copy,
                             std::uint64_t* s1,
                             std::uint64_t* s2)
{
    for (std::size_t row = 0; row < block.rows; row += group) {
        uints sum[group] = {}, low[group] = {}, high[group] = {};
        const std::size_t some = std::min(group, block.rows - row);
        for (std::size_t k = 0; k < some; k++) {
            const std::size_t at = (row + k) * block.stride;
            add_row(
                x + at, block.count, copy ? copy + at : nullptr, sum[k], low[k], high[k]);
            if (copy) {
                std::copy(x + at + 2 * block.count,
                          x + at + block.stride,
                          copy + at + 2 * block.count);
            }
        }
        uints power, less, more;
        sum_lanes(sum, power);
        sum_lanes(low, less);
        sum_lanes(high, more);
        for (std::size_t k = 0; k < group; k++) {
            s1[row + k] += power[k];
            s2[row + k] += less[k] + (static_cast<std::uint64_t>(more[k]) << 16);
        }
    }
}

} // namespace gr::fringe::kernels
