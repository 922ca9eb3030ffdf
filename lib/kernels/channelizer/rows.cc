/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/rows.h"
#include "kernels/base/simd.h"
#include <cmath>
#include <cstring>
#include <volk/volk.h>

namespace gr::fringe::kernels {

void widen_i8(const std::uint8_t* in, std::size_t count, float* __restrict out)
{
    volk_8i_s32f_convert_32f(
        out, reinterpret_cast<const std::int8_t*>(in), 1, static_cast<unsigned>(count));
}

void widen_i16(const std::uint8_t* in, std::size_t count, float* __restrict out)
{
    volk_16i_s32f_convert_32f(
        out, reinterpret_cast<const std::int16_t*>(in), 1, static_cast<unsigned>(count));
}

namespace {

template <class In>
__attribute__((always_inline)) inline void
weigh(const std::uint8_t* in, const float* h, std::size_t width, float* __restrict out)
{
    for (std::size_t n = 0; n < width; n++) {
        In value;
        std::memcpy(&value, in + n * sizeof(In), sizeof(In));
        out[n] = h[n] * value;
    }
}

template <class In>
__attribute__((always_inline)) inline void weigh_complex(const std::uint8_t* in,
                                                         const float* h,
                                                         std::size_t points,
                                                         float sign,
                                                         float* __restrict out)
{
    for (std::size_t n = 0; n < points; n++) {
        In re, im;
        std::memcpy(&re, in + 2 * n * sizeof(In), sizeof(In));
        std::memcpy(&im, in + (2 * n + 1) * sizeof(In), sizeof(In));
        out[2 * n] = h[n] * re;
        out[2 * n + 1] = sign * h[n] * im;
    }
}

} // namespace

FRINGE_SIMD void
weigh_i8(const std::uint8_t* in, const float* h, std::size_t width, float* out)
{
    weigh<std::int8_t>(in, h, width, out);
}

FRINGE_SIMD void
weigh_i16(const std::uint8_t* in, const float* h, std::size_t width, float* out)
{
    weigh<std::int16_t>(in, h, width, out);
}

FRINGE_SIMD void weigh_complex_i8(
    const std::uint8_t* in, const float* h, std::size_t points, float sign, float* out)
{
    weigh_complex<std::int8_t>(in, h, points, sign, out);
}

FRINGE_SIMD void weigh_complex_i16(
    const std::uint8_t* in, const float* h, std::size_t points, float sign, float* out)
{
    weigh_complex<std::int16_t>(in, h, points, sign, out);
}

FRINGE_SIMD std::size_t quantize_row(const float* in,
                                     std::size_t count,
                                     float gain,
                                     float limit,
                                     std::int8_t* __restrict out)
{
    // Adding 1.5 * 2^23 leaves no bits for a fraction: the sum is rounded to nearest
    // even, without a call, on every instruction set.
    const float magic = 12582912.0f;
    std::uint32_t clipped = 0;
    for (std::size_t n = 0; n < count; n++) {
        const float x = gain * in[n];
        // A half above the limit rounds to the even number beyond it. Not a number is
        // clipped, too.
        clipped += std::fabs(x) < limit + 0.5f ? 0 : 1;
        const float low = x > -limit ? x : -limit;
        const float inside = low < limit ? low : limit;
        out[n] =
            static_cast<std::int8_t>(static_cast<std::int32_t>((inside + magic) - magic));
    }
    return clipped;
}

} // namespace gr::fringe::kernels
