/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/phasors.h"
#include "kernels/channelizer/rows.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t group = 8;

//! Four elements of 8 bytes.
typedef std::int64_t four __attribute__((vector_size(32)));

enum class factors { none, constant, turned };

//! Four channels of four spectra, `stride` floats apart, to four spectra of four channels.
template <factors kind>
__attribute__((always_inline)) inline void turn_4x4(const float* from,
                                                    std::size_t stride,
                                                    const four_factors& f,
                                                    const turn_vectors* turns,
                                                    float* to,
                                                    std::size_t out_stride)
{
    four x[4];
    for (std::size_t s = 0; s < 4; s++) {
        floats v;
        load(v, from + s * stride);
        if (kind != factors::none) {
            multiply(
                v, f, turns[kind == factors::turned ? s : 0], kind == factors::turned);
        }
        std::memcpy(&x[s], &v, sizeof(v));
    }
    const four even_ab = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const four even_cd = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const four odd_ab = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const four odd_cd = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    const four turned[4] = {__builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5),
                            __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5),
                            __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7),
                            __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7)};
    for (std::size_t k = 0; k < 4; k++) {
        std::memcpy(to + k * out_stride, &turned[k], sizeof(four));
    }
}

// Eight channels at a time: a cache line of a spectrum is read once, and the lines of
// eight rows of the output fill up side by side. Multiplications hide behind the stores.
template <factors kind>
__attribute__((always_inline)) inline void corner_turn_factors(const tile_rows& tile,
                                                               std::size_t channels,
                                                               const row_factors& f,
                                                               const row_turn* turns,
                                                               float* to,
                                                               std::size_t out_stride)
{
    const auto from = static_cast<const float*>(tile.first);
    const std::size_t stride = 2 * tile.stride;
    constexpr bool turned = kind == factors::turned;
    turn_vectors v[turned ? max_tile_spectra : 1];
    for (std::size_t s = 0; turned && s < tile.spectra; s++) {
        make_turn(turns[s], v[s]);
    }
    std::size_t k = 0;
    for (; k + group <= channels; k += group) {
        four_factors left{}, right{};
        if (kind != factors::none) {
            load_factors(f.from(k), turned, left);
            load_factors(f.from(k + 4), turned, right);
        }
        for (std::size_t s = 0; s + 4 <= tile.spectra; s += 4) {
            const float* const x = from + s * stride + 2 * k;
            float* const y = to + 2 * (k * out_stride + s);
            turn_4x4<kind>(x, stride, left, v + (turned ? s : 0), y, 2 * out_stride);
            turn_4x4<kind>(x + 8,
                           stride,
                           right,
                           v + (turned ? s : 0),
                           y + 8 * out_stride,
                           2 * out_stride);
        }
    }
    const auto turn_one = [&](std::size_t c, std::size_t s) {
        float re = from[s * stride + 2 * c], im = from[s * stride + 2 * c + 1];
        if (kind != factors::none) {
            multiply_one(re, im, f.from(c), v[turned ? s : 0], turned);
        }
        to[2 * (c * out_stride + s)] = re;
        to[2 * (c * out_stride + s) + 1] = im;
    };
    for (std::size_t c = 0; c < channels; c++) {
        for (std::size_t s = c < k ? tile.spectra / 4 * 4 : 0; s < tile.spectra; s++) {
            turn_one(c, s);
        }
    }
}

} // namespace

FRINGE_SIMD void corner_turn_8(const tile_rows& tile,
                               std::size_t channels,
                               const row_factors& f,
                               const row_turn* turns,
                               void* out,
                               std::size_t out_stride)
{
    const auto to = static_cast<float*>(out);
    if (turns) {
        corner_turn_factors<factors::turned>(tile, channels, f, turns, to, out_stride);
    } else if (f.e) {
        corner_turn_factors<factors::constant>(tile, channels, f, turns, to, out_stride);
    } else {
        corner_turn_factors<factors::none>(tile, channels, f, turns, to, out_stride);
    }
}

FRINGE_SIMD void corner_turn_2(const tile_rows& tile,
                               std::size_t channels,
                               void* out,
                               std::size_t out_stride)
{
    const auto from = static_cast<const std::uint8_t*>(tile.first);
    const auto to = static_cast<std::uint8_t*>(out);
    for (std::size_t k = 0; k < channels; k += group) {
        const std::size_t many = std::min(group, channels - k);
        for (std::size_t s = 0; s < tile.spectra; s++) {
            for (std::size_t g = k; g < k + many; g++) {
                std::memcpy(
                    to + 2 * (g * out_stride + s), from + 2 * (s * tile.stride + g), 2);
            }
        }
    }
}

} // namespace gr::fringe::kernels
