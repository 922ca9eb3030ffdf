/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/types.h"
#include "kernels/kurtosis/cpu_sums.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

// Sums of neighbors stand in both of their lanes.
__attribute__((always_inline)) inline void add_neighbors(const floats& x, floats& out)
{
    out = x + __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
}
__attribute__((always_inline)) inline void add_neighbors(const wide_floats& x,
                                                         wide_floats& out)
{
    out = x + __builtin_shufflevector(
                  x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
}

// The channels of one input whose components fill a vector V, and the number of vectors side by side:
// whole lines of the cache. Every fourth spectrum goes into the same sum, as in channel-major
// blocks, so that the bits do not depend on the layout.
template <class V, std::size_t vectors>
__attribute__((always_inline)) inline void
add_vectors(const float* x, const block_shape& block, float* s1, float* s2)
{
    constexpr std::size_t width = sizeof(V) / sizeof(float);
    V every[2][vectors][4];
    for (std::size_t k = 0; k < 4; k++) {
        V a[vectors] = {}, b[vectors] = {}, v;
        for (std::size_t t = k; t < block.count; t += 4) {
            for (std::size_t n = 0; n < vectors; n++) {
                load(v, x + t * block.spectrum + width * n);
                add_powers(v, a[n], b[n]);
            }
        }
        for (std::size_t n = 0; n < vectors; n++) {
            add_neighbors(a[n], every[0][n][k]);
            every[1][n][k] = b[n];
        }
    }
    for (float* const s : {s1, s2}) {
        float sums[vectors * width];
        for (std::size_t n = 0; n < vectors; n++) {
            const V* const of = every[s == s1 ? 0 : 1][n];
            store((of[0] + of[1]) + (of[2] + of[3]), sums + n * width);
        }
        for (std::size_t c = 0; c < vectors * width / 2; c++) {
            s[c] += sums[2 * c];
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
            add_vectors<wide_floats, 2>(row + 2 * c, block, s1 + sums + c, s2 + sums + c);
        }
        for (; c < block.channels; c += 4) {
            add_vectors<floats, 1>(row + 2 * c, block, s1 + sums + c, s2 + sums + c);
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

} // namespace gr::fringe::kernels
