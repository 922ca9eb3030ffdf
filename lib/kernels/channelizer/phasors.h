/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_PHASORS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_PHASORS_H

#include "kernels/base/simd.h"
#include "kernels/channelizer/rows.h"

namespace gr::fringe::kernels {

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

//! Four channels' factors, each twice in a row, imaginary parts as (-im, im): what
//! interleaved complex numbers and those with their parts swapped are multiplied by.
struct four_factors {
    floats e_re, e_im, g_re, g_im;
};

//! One turn, the same way, for all channels.
struct turn_vectors {
    floats re, im, slope;
};

__attribute__((always_inline)) inline void
twice(const float* from, floats& re, floats& im)
{
    floats f;
    load(f, from);
    const floats sign = {-1, 1, -1, 1, -1, 1, -1, 1};
    re = __builtin_shufflevector(f, f, 0, 0, 2, 2, 4, 4, 6, 6);
    im = sign * __builtin_shufflevector(f, f, 1, 1, 3, 3, 5, 5, 7, 7);
}

__attribute__((always_inline)) inline void
load_factors(const row_factors& from, bool turned, four_factors& f)
{
    twice(from.e, f.e_re, f.e_im);
    if (turned) {
        twice(from.g, f.g_re, f.g_im);
    }
}

__attribute__((always_inline)) inline void make_turn(const row_turn& turn,
                                                     turn_vectors& v)
{
    const double part = fraction_of_turns(turn.turns);
    const auto re = static_cast<float>(cosine_of_turns(part));
    const auto im = static_cast<float>(sine_of_turns(part));
    v.re = floats{} + re;
    v.im = floats{-im, im, -im, im, -im, im, -im, im};
    v.slope = floats{} + turn.slope;
}

//! Four complex numbers times their factors and, where `turned`, the turn.
__attribute__((always_inline)) inline void
multiply(floats& x, const four_factors& f, const turn_vectors& turn, bool turned)
{
    const floats swapped = __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
    if (!turned) {
        x = x * f.e_re + swapped * f.e_im;
        return;
    }
    const floats y =
        x * (f.e_re + turn.slope * f.g_re) + swapped * (f.e_im + turn.slope * f.g_im);
    x = y * turn.re + __builtin_shufflevector(y, y, 1, 0, 3, 2, 5, 4, 7, 6) * turn.im;
}

//! One complex number.
__attribute__((always_inline)) inline void multiply_one(
    float& x, float& y, const row_factors& f, const turn_vectors& turn, bool turned)
{
    const float slope = turned ? turn.slope[0] : 0;
    const float re = f.e[0] + (turned ? slope * f.g[0] : 0);
    const float im = f.e[1] + (turned ? slope * f.g[1] : 0);
    const float a = x * re - y * im, b = x * im + y * re;
    x = turned ? a * turn.re[0] - b * turn.im[1] : a;
    y = turned ? a * turn.im[1] + b * turn.re[0] : b;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_PHASORS_H */
