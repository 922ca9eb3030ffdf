/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/rows.h"
#include "kernels/simd.h"
#include <cmath>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

FRINGE_SIMD void
widen_i8(const std::uint8_t* in, std::size_t count, float* __restrict out)
{
    const auto values = reinterpret_cast<const std::int8_t*>(in);
    for (std::size_t n = 0; n < count; n++) {
        out[n] = values[n];
    }
}

FRINGE_SIMD void
widen_i16(const std::uint8_t* in, std::size_t count, float* __restrict out)
{
    for (std::size_t n = 0; n < count; n++) {
        std::int16_t value;
        std::memcpy(&value, in + 2 * n, 2);
        out[n] = value;
    }
}

FRINGE_SIMD void weigh_i8(const std::uint8_t* in,
                          const float* h,
                          std::size_t count,
                          float* __restrict out)
{
    const auto values = reinterpret_cast<const std::int8_t*>(in);
    for (std::size_t n = 0; n < count; n++) {
        out[n] = h[n] * values[n];
    }
}

FRINGE_SIMD void weigh_i16(const std::uint8_t* in,
                           const float* h,
                           std::size_t count,
                           float* __restrict out)
{
    for (std::size_t n = 0; n < count; n++) {
        std::int16_t value;
        std::memcpy(&value, in + 2 * n, 2);
        out[n] = h[n] * value;
    }
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

FRINGE_SIMD void add_powers(const float* const* rows,
                            std::size_t spectra,
                            std::size_t count,
                            float* s1,
                            float* s2)
{
    std::size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        floats one = {}, two = {};
        for (std::size_t s = 0; s < spectra; s++) {
            floats a, b;
            load(a, rows[s] + 2 * k);
            load(b, rows[s] + 2 * k + 8);
            a *= a;
            b *= b;
            const floats power =
                __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
                __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
            one += power;
            two += power * power;
        }
        floats sum;
        load(sum, s1 + k);
        store(sum + __builtin_shufflevector(one, one, 0, 1, 4, 5, 2, 3, 6, 7), s1 + k);
        load(sum, s2 + k);
        store(sum + __builtin_shufflevector(two, two, 0, 1, 4, 5, 2, 3, 6, 7), s2 + k);
    }
    for (; k < count; k++) {
        for (std::size_t s = 0; s < spectra; s++) {
            const float re = rows[s][2 * k], im = rows[s][2 * k + 1];
            const float power = re * re + im * im;
            s1[k] += power;
            s2[k] += power * power;
        }
    }
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

} // namespace kernels
} // namespace fringe
} // namespace gr
