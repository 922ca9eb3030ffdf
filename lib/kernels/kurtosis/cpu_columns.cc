/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/cpu_sums.h"
#include "kernels/types.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

// Four channels of one input.
__attribute__((always_inline)) inline void
add_four_columns(const float* x, const block_shape& block, floats& s1, floats& s2)
{
    floats a[4] = {}, b[4] = {}, v;
    std::size_t t = 0;
    for (; t + 4 <= block.count; t += 4) {
        for (std::size_t k = 0; k < 4; k++) {
            load(v, x + (t + k) * block.spectrum);
            add_powers(v, a[k], b[k]);
        }
    }
    for (std::size_t k = 0; t + k < block.count; k++) {
        load(v, x + (t + k) * block.spectrum);
        add_powers(v, a[k], b[k]);
    }
    for (floats& sum : a) {
        sum += __builtin_shufflevector(sum, sum, 1, 0, 3, 2, 5, 4, 7, 6);
    }
    s1 = (a[0] + a[1]) + (a[2] + a[3]);
    s2 = (b[0] + b[1]) + (b[2] + b[3]);
}

} // namespace

// A vector that begins in a spectrum ends there, so the last one needs no care.
FRINGE_SIMD void
add_columns_f32(const float* x, const block_shape& block, float* s1, float* s2)
{
    for (std::size_t i = 0; i < block.rows; i++) {
        const std::size_t sums = i * spectra_row(block.channels);
        for (std::size_t c = 0; c < block.channels; c += 4) {
            floats a, b;
            add_four_columns(x + i * block.stride + 2 * c, block, a, b);
            for (std::size_t k = 0; k < 4; k++) {
                s1[sums + c + k] += a[2 * k];
                s2[sums + c + k] += b[2 * k];
            }
        }
    }
}

FRINGE_SIMD void add_columns_i8(const std::int8_t* x,
                                const block_shape& block,
                                std::uint64_t* s1,
                                std::uint64_t* s2)
{
    for (std::size_t i = 0; i < block.rows; i++) {
        const std::size_t sums = i * spectra_row(block.channels);
        for (std::size_t c = 0; c < block.channels; c += 8) {
            const std::int8_t* const column = x + i * block.stride + 2 * c;
            uints sum = {};
            longs squared = {};
            for (std::size_t t = 0; t < block.count;) {
                const std::size_t some = std::min(block.count, t + squares_in_32_bits);
                uints squares = {};
                for (; t < some; t++) {
                    uints power;
                    read_powers(column + t * block.spectrum, power);
                    sum += power;
                    squares += power * power;
                }
                squared += __builtin_convertvector(squares, longs);
            }
            for (std::size_t k = 0; k < 8; k++) {
                s1[sums + c + k] += sum[k];
                s2[sums + c + k] += squared[k];
            }
        }
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
