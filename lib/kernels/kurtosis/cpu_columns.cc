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

// Four channels of one input in each vector, so many vectors side by side: whole lines of the
// cache. Every fourth spectrum goes into the same sum, as in channel-major blocks, so that the
// bits do not depend on the layout.
template <std::size_t vectors>
__attribute__((always_inline)) inline void
add_vectors(const float* x, const block_shape& block, float* s1, float* s2)
{
    floats every[2][vectors][4];
    for (std::size_t k = 0; k < 4; k++) {
        floats a[vectors] = {}, b[vectors] = {}, v;
        for (std::size_t t = k; t < block.count; t += 4) {
            for (std::size_t n = 0; n < vectors; n++) {
                load(v, x + t * block.spectrum + 8 * n);
                add_powers(v, a[n], b[n]);
            }
        }
        for (std::size_t n = 0; n < vectors; n++) {
            every[0][n][k] =
                a[n] + __builtin_shufflevector(a[n], a[n], 1, 0, 3, 2, 5, 4, 7, 6);
            every[1][n][k] = b[n];
        }
    }
    for (std::size_t n = 0; n < vectors; n++) {
        const floats *const a = every[0][n], *const b = every[1][n];
        const floats one = (a[0] + a[1]) + (a[2] + a[3]);
        const floats two = (b[0] + b[1]) + (b[2] + b[3]);
        for (std::size_t c = 0; c < 4; c++) {
            s1[4 * n + c] += one[2 * c];
            s2[4 * n + c] += two[2 * c];
        }
    }
}

} // namespace

// A vector that begins in a spectrum ends there, so the last one needs no care.
FRINGE_SIMD void
add_columns_f32(const float* x, const block_shape& block, float* s1, float* s2)
{
    for (std::size_t i = 0; i < block.rows; i++) {
        const std::size_t sums = i * spectra_row(block.channels);
        const float* const row = x + i * block.stride;
        std::size_t c = 0;
        for (; c + 16 <= block.channels; c += 16) {
            add_vectors<4>(row + 2 * c, block, s1 + sums + c, s2 + sums + c);
        }
        for (; c < block.channels; c += 4) {
            add_vectors<1>(row + 2 * c, block, s1 + sums + c, s2 + sums + c);
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
