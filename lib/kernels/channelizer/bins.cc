/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/phasors.h"
#include "kernels/channelizer/rows.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

// This many spectra side by side, which use the factors once they are in registers.
template <bool turned, std::size_t spectra>
__attribute__((always_inline)) inline void multiply_spectra(const row_factors& f,
                                                            const row_turn* turns,
                                                            float* row,
                                                            std::size_t stride,
                                                            std::size_t count)
{
    turn_vectors v[spectra] = {};
    for (std::size_t n = 0; turned && n < spectra; n++) {
        make_turn(turns[n], v[n]);
    }
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        four_factors factors;
        load_factors(f.from(k), turned, factors);
        for (std::size_t n = 0; n < spectra; n++) {
            floats x;
            load(x, row + n * stride + 2 * k);
            multiply(x, factors, v[n], turned);
            store(x, row + n * stride + 2 * k);
        }
    }
    for (; k < count; k++) {
        for (std::size_t n = 0; n < spectra; n++) {
            float* const x = row + n * stride + 2 * k;
            multiply_one(x[0], x[1], f.from(k), v[n], turned);
        }
    }
}

template <bool turned>
__attribute__((always_inline)) inline void multiply_all(const row_factors& f,
                                                        const row_turn* turns,
                                                        const bins_of_spectra& x,
                                                        std::size_t count)
{
    constexpr std::size_t together = 4;
    std::size_t n = 0;
    for (; n + together <= x.spectra; n += together) {
        multiply_spectra<turned, together>(
            f, turns + (turned ? n : 0), x.first + n * x.stride, x.stride, count);
    }
    for (; n < x.spectra; n++) {
        multiply_spectra<turned, 1>(
            f, turns + (turned ? n : 0), x.first + n * x.stride, x.stride, count);
    }
}

} // namespace

FRINGE_SIMD void multiply_bins(const row_factors& f,
                               const row_turn* turns,
                               const bins_of_spectra& x,
                               std::size_t count)
{
    if (turns) {
        multiply_all<true>(f, turns, x, count);
    } else {
        multiply_all<false>(f, turns, x, count);
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

} // namespace gr::fringe::kernels
