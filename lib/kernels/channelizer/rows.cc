/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/rows.h"
#include "kernels/simd.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! sin and cos of 2 pi t, |t| <= 1/2, to 1.2e-8: polynomials of least largest error (fitted
//! by Lawson's iteration) beside the factors that have the zeros.
template <class T>
__attribute__((always_inline)) inline T sine_of_turns(T t)
{
    const T y = t * t;
    const T p = T(6.283185270017002) +
                y * (T(-16.20895564377375) +
                     y * (T(16.769189671595278) +
                          y * (T(-9.624604698598587) +
                               y * (T(3.516376009901609) + y * T(-0.7983429511733239)))));
    return t * (1 - 4 * y) * p;
}

template <class T>
__attribute__((always_inline)) inline T cosine_of_turns(T t)
{
    const T y = t * t;
    const T p =
        T(0.9999999881272134) +
        y * (T(-3.7392046243668657) +
             y * (T(5.111852463642702) +
                  y * (T(-3.6607409053914974) +
                       y * (T(1.5979431811221327) + y * T(-0.4087506349497986)))));
    return (1 - 16 * y) * p;
}

//! t less whole turns. Adding 1.5 * 2^52 leaves no bits for a fraction, see quantize_row().
__attribute__((always_inline)) inline double fraction_of_turns(double t)
{
    return t - ((t + 0x1.8p52) - 0x1.8p52);
}

//! Four elements of 8 bytes.
typedef std::int64_t four __attribute__((vector_size(32)));

//! Four channels of four spectra, `stride` bytes apart, to four spectra of four channels.
__attribute__((always_inline)) inline void turn_4x4(const std::uint8_t* from,
                                                    std::size_t stride,
                                                    std::uint8_t* to,
                                                    std::size_t out_stride)
{
    four a, b, c, d;
    std::memcpy(&a, from, 32);
    std::memcpy(&b, from + stride, 32);
    std::memcpy(&c, from + 2 * stride, 32);
    std::memcpy(&d, from + 3 * stride, 32);
    const four even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const four even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const four odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const four odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const four turned[4] = {__builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5),
                            __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5),
                            __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7),
                            __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7)};
    for (std::size_t k = 0; k < 4; k++) {
        std::memcpy(to + k * out_stride, &turned[k], 32);
    }
}

// Eight channels at a time: a cache line of a spectrum is read once, and the lines of
// eight rows of the output fill up side by side.
template <std::size_t bytes>
__attribute__((always_inline)) inline void corner_turn(const void* tile,
                                                       std::size_t tile_stride,
                                                       std::size_t channels,
                                                       std::size_t spectra,
                                                       void* out,
                                                       std::size_t out_stride)
{
    constexpr std::size_t group = 8;
    const auto from = static_cast<const std::uint8_t*>(tile);
    const auto to = static_cast<std::uint8_t*>(out);
    for (std::size_t k = 0; k < channels; k += group) {
        const std::size_t many = std::min(group, channels - k);
        std::size_t s = 0;
        if (bytes == 8 && many == group) {
            for (; s + 4 <= spectra; s += 4) {
                for (std::size_t g = 0; g < group; g += 4) {
                    turn_4x4(from + (s * tile_stride + k + g) * bytes,
                             tile_stride * bytes,
                             to + ((k + g) * out_stride + s) * bytes,
                             out_stride * bytes);
                }
            }
        }
        for (; s < spectra; s++) {
            for (std::size_t g = 0; g < many; g++) {
                std::memcpy(to + ((k + g) * out_stride + s) * bytes,
                            from + (s * tile_stride + k + g) * bytes,
                            bytes);
            }
        }
    }
}

} // namespace

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

FRINGE_SIMD void
copy_bins(const float* bins, std::size_t count, const float* c, float* __restrict out)
{
    if (!c) {
        std::memcpy(out, bins, 2 * count * sizeof(float));
        return;
    }
    for (std::size_t k = 0; k < count; k++) {
        const float re = bins[2 * k], im = bins[2 * k + 1];
        out[2 * k] = c[2 * k] * re - c[2 * k + 1] * im;
        out[2 * k + 1] = c[2 * k] * im + c[2 * k + 1] * re;
    }
}

FRINGE_SIMD void
mirror_bins(const float* bins, std::size_t count, const float* c, float* __restrict out)
{
    if (!c) {
        for (std::size_t k = 0; k < count; k++) {
            out[2 * k] = *(bins - 2 * k);
            out[2 * k + 1] = -*(bins - 2 * k + 1);
        }
        return;
    }
    for (std::size_t k = 0; k < count; k++) {
        const float re = *(bins - 2 * k), im = -*(bins - 2 * k + 1);
        out[2 * k] = c[2 * k] * re - c[2 * k + 1] * im;
        out[2 * k + 1] = c[2 * k] * im + c[2 * k + 1] * re;
    }
}

// A phasor a channel, each made from the one sixteen channels before by a multiplication:
// four vectors of four of them, so that they need not wait for one another. Every 128
// channels they start anew. Per component they are held twice, (re, re) and (-im, im): what
// an interleaved complex number is multiplied by.
FRINGE_SIMD void turn_row(double turns, double slope, std::size_t count, float* row)
{
    constexpr std::size_t together = 16, stretch = 128;
    // In double: what the step misses adds up.
    const double step = fraction_of_turns(together * slope);
    const float si = static_cast<float>(sine_of_turns(step));
    const floats step_re = floats{} + static_cast<float>(cosine_of_turns(step));
    const floats step_im = {-si, si, -si, si, -si, si, -si, si};
    for (std::size_t k = 0; k < count; k += stretch) {
        const std::size_t end = std::min(count, k + stretch);
        float fraction[together], re[2 * together], im[2 * together];
        const double start = turns + static_cast<double>(k) * slope;
        for (std::size_t j = 0; j < together; j++) {
            fraction[j] = static_cast<float>(
                fraction_of_turns(start + static_cast<double>(j) * slope));
        }
        for (std::size_t j = 0; j < together; j++) {
            const float c = cosine_of_turns(fraction[j]), s = sine_of_turns(fraction[j]);
            re[2 * j] = re[2 * j + 1] = c;
            im[2 * j] = -s;
            im[2 * j + 1] = s;
        }
        floats a[4], b[4];
        for (std::size_t v = 0; v < 4; v++) {
            load(a[v], re + 8 * v);
            load(b[v], im + 8 * v);
        }
        std::size_t c = k;
        for (; c + together <= end; c += together) {
            for (std::size_t v = 0; v < 4; v++) {
                float* const at = row + 2 * c + 8 * v;
                floats x;
                load(x, at);
                const floats swapped =
                    __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
                store(x * a[v] + swapped * b[v], at);
                const floats next = a[v] * step_re - b[v] * step_im;
                b[v] = b[v] * step_re + a[v] * step_im;
                a[v] = next;
            }
        }
        for (std::size_t v = 0; v < 4; v++) {
            store(a[v], re + 8 * v);
            store(b[v], im + 8 * v);
        }
        for (std::size_t j = 0; c < end; c++, j++) {
            const float x = row[2 * c], y = row[2 * c + 1];
            row[2 * c] = x * re[2 * j] - y * im[2 * j + 1];
            row[2 * c + 1] = x * im[2 * j + 1] + y * re[2 * j];
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

FRINGE_SIMD void corner_turn_8(const void* tile,
                               std::size_t tile_stride,
                               std::size_t channels,
                               std::size_t spectra,
                               void* out,
                               std::size_t out_stride)
{
    corner_turn<8>(tile, tile_stride, channels, spectra, out, out_stride);
}

FRINGE_SIMD void corner_turn_2(const void* tile,
                               std::size_t tile_stride,
                               std::size_t channels,
                               std::size_t spectra,
                               void* out,
                               std::size_t out_stride)
{
    corner_turn<2>(tile, tile_stride, channels, spectra, out, out_stride);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
