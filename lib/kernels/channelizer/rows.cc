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
#include <limits>
#include <volk/volk.h>

namespace gr::fringe::kernels {

namespace {

typedef std::int32_t sixteen_integers __attribute__((vector_size(64)));

} // namespace

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

FRINGE_SIMD void filter_rows(const float* const* rows,
                             const float* h,
                             std::size_t taps,
                             std::size_t width,
                             float* out)
{
    std::size_t n = 0;
    for (; n + 32 <= width; n += 32) {
        floats sums[4] = {};
        for (std::size_t tap = 0; tap < taps; tap++) {
            const float* x = rows[tap] + n;
            const float* w = h + tap * width + n;
            for (std::size_t v = 0; v < 4; v++) {
                floats coefficients, samples;
                load(coefficients, w + 8 * v);
                load(samples, x + 8 * v);
                sums[v] += coefficients * samples;
            }
        }
        for (std::size_t v = 0; v < 4; v++) {
            store(sums[v], out + n + 8 * v);
        }
    }
    for (; n < width; n++) {
        float sum = 0;
        for (std::size_t tap = 0; tap < taps; tap++) {
            sum += h[tap * width + n] * rows[tap][n];
        }
        out[n] = sum;
    }
}

// Each coefficient is read once, for both parts: it is coefficients that do not fit into
// the first-level cache.
FRINGE_SIMD void filter_complex_rows(const float* const* rows,
                                     const float* h,
                                     std::size_t taps,
                                     std::size_t points,
                                     float sign,
                                     float* out)
{
    constexpr std::size_t many = 4;
    // Of the sign, its bit: a multiplication would be slow once more where numbers are
    // very small.
    const std::int32_t bit = sign < 0 ? std::numeric_limits<std::int32_t>::min() : 0;
    sixteen_integers bits = {};
    for (std::size_t k = 1; k < 16; k += 2) {
        bits[k] = bit;
    }
    std::size_t n = 0;
    for (; n + 8 * many <= points; n += 8 * many) {
        wide_floats sums[many] = {};
        for (std::size_t tap = 0; tap < taps; tap++) {
            for (std::size_t v = 0; v < many; v++) {
                floats c;
                wide_floats x;
                load(c, h + tap * points + n + 8 * v);
                std::memcpy(&x, rows[tap] + 2 * (n + 8 * v), sizeof(x));
                sums[v] += x * __builtin_shufflevector(
                                   c, c, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
            }
        }
        for (std::size_t v = 0; v < many; v++) {
            sixteen_integers sum;
            std::memcpy(&sum, &sums[v], sizeof(sum));
            sum ^= bits;
            std::memcpy(out + 2 * (n + 8 * v), &sum, sizeof(sum));
        }
    }
    for (; n < points; n++) {
        float re = 0, im = 0;
        for (std::size_t tap = 0; tap < taps; tap++) {
            re += h[tap * points + n] * rows[tap][2 * n];
            im += h[tap * points + n] * rows[tap][2 * n + 1];
        }
        out[2 * n] = re;
        out[2 * n + 1] = sign * im;
    }
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
