/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_BUTTERFLIES_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_BUTTERFLIES_H

#include "kernels/base/simd.h"

// Transforms of 2 to 16 points, exp(-2 pi i k n / N), of sixteen lanes at once, and the order
// of lanes in memory. They are made in place.
namespace gr::fringe::kernels::butterflies {

//! Sixteen complex numbers.
struct lanes16 {
    wide_floats re, im;
};

constexpr float half_root = 0.70710678118654752440f; // sqrt(1/2)
constexpr float cos_16 = 0.92387953251128675613f;    // cos(2 pi / 16)
constexpr float sin_16 = 0.38268343236508977173f;

//! x *= wr + i wi, of vectors or of numbers.
template <class W>
FRINGE_INLINE void multiply(lanes16& x, const W& wr, const W& wi)
{
    const wide_floats re = x.re * wr - x.im * wi;
    x.im = x.re * wi + x.im * wr;
    x.re = re;
}

// Times exp(-2 pi i k / 8).
FRINGE_INLINE void turn_1(lanes16& x)
{
    x = {(x.re + x.im) * half_root, (x.im - x.re) * half_root};
}
FRINGE_INLINE void turn_2(lanes16& x) { x = {x.im, -x.re}; }
FRINGE_INLINE void turn_3(lanes16& x)
{
    x = {(x.im - x.re) * half_root, (x.re + x.im) * -half_root};
}

FRINGE_INLINE void radix_4(lanes16& a, lanes16& b, lanes16& c, lanes16& d)
{
    const wide_floats sr = a.re + c.re, si = a.im + c.im;
    const wide_floats dr = a.re - c.re, di = a.im - c.im;
    const wide_floats tr = b.re + d.re, ti = b.im + d.im;
    const wide_floats er = b.re - d.re, ei = b.im - d.im;
    a = {sr + tr, si + ti};
    b = {dr + ei, di - er};
    c = {sr - tr, si - ti};
    d = {dr - ei, di + er};
}

FRINGE_INLINE void radix_8(lanes16* x)
{
    radix_4(x[0], x[2], x[4], x[6]);
    radix_4(x[1], x[3], x[5], x[7]);
    const lanes16 e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    const lanes16 o0 = x[1], o1 = x[3], o2 = x[5], o3 = x[7];
    x[0] = {e0.re + o0.re, e0.im + o0.im};
    x[4] = {e0.re - o0.re, e0.im - o0.im};
    x[2] = {e2.re + o2.im, e2.im - o2.re};
    x[6] = {e2.re - o2.im, e2.im + o2.re};
    const wide_floats s1 = o1.re + o1.im, d1 = o1.im - o1.re;
    x[1] = {e1.re + half_root * s1, e1.im + half_root * d1};
    x[5] = {e1.re - half_root * s1, e1.im - half_root * d1};
    const wide_floats s3 = o3.re + o3.im, d3 = o3.im - o3.re;
    x[3] = {e3.re + half_root * d3, e3.im - half_root * s3};
    x[7] = {e3.re - half_root * d3, e3.im + half_root * s3};
}

//! Point k + 4 l of the transform comes to x[4 k + l].
FRINGE_INLINE void radix_16(lanes16* x)
{
#pragma GCC unroll 16
    for (int n = 0; n < 4; n++) {
        radix_4(x[n], x[n + 4], x[n + 8], x[n + 12]);
    }
    multiply(x[5], cos_16, -sin_16);
    turn_1(x[6]);
    multiply(x[7], sin_16, -cos_16);
    turn_1(x[9]);
    turn_2(x[10]);
    turn_3(x[11]);
    multiply(x[13], sin_16, -cos_16);
    turn_3(x[14]);
    multiply(x[15], -cos_16, sin_16);
#pragma GCC unroll 16
    for (int k = 0; k < 4; k++) {
        radix_4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    }
}

FRINGE_INLINE void radix_2(lanes16& a, lanes16& b)
{
    const lanes16 c = b;
    b = {a.re - c.re, a.im - c.im};
    a = {a.re + c.re, a.im + c.im};
}

//! Of `points` points; point k comes to x[place<points>(k)].
template <int points>
constexpr int place(int k)
{
    return points == 16 ? 4 * (k % 4) + k / 4 : k;
}
template <int points>
FRINGE_INLINE void transform(lanes16* x)
{
    static_assert(points == 2 || points == 4 || points == 8 || points == 16);
    if constexpr (points == 2) {
        radix_2(x[0], x[1]);
    } else if constexpr (points == 4) {
        radix_4(x[0], x[1], x[2], x[3]);
    } else if constexpr (points == 8) {
        radix_8(x);
    } else {
        radix_16(x);
    }
}

#define FRINGE_SHUFFLE __builtin_shufflevector

// Sixteen rows of sixteen lanes change places with their lanes in two steps: four groups of four
// lanes of four rows that are four apart, then the lanes of each group of four rows.
FRINGE_INLINE void
swap_groups(wide_floats& a, wide_floats& b, wide_floats& c, wide_floats& d)
{
#define FRINGE_LOW 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define FRINGE_HIGH 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define FRINGE_EVEN 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define FRINGE_ODD 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
    const wide_floats ab = FRINGE_SHUFFLE(a, b, FRINGE_LOW);
    const wide_floats cd = FRINGE_SHUFFLE(c, d, FRINGE_LOW);
    const wide_floats above_ab = FRINGE_SHUFFLE(a, b, FRINGE_HIGH);
    const wide_floats above_cd = FRINGE_SHUFFLE(c, d, FRINGE_HIGH);
    a = FRINGE_SHUFFLE(ab, cd, FRINGE_EVEN);
    b = FRINGE_SHUFFLE(ab, cd, FRINGE_ODD);
    c = FRINGE_SHUFFLE(above_ab, above_cd, FRINGE_EVEN);
    d = FRINGE_SHUFFLE(above_ab, above_cd, FRINGE_ODD);
#undef FRINGE_LOW
#undef FRINGE_HIGH
#undef FRINGE_EVEN
#undef FRINGE_ODD
}
FRINGE_INLINE void
swap_lanes(wide_floats& a, wide_floats& b, wide_floats& c, wide_floats& d)
{
#define FRINGE_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define FRINGE_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define FRINGE_FIRST 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define FRINGE_LAST 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
    const wide_floats ab = FRINGE_SHUFFLE(a, b, FRINGE_LOW);
    const wide_floats cd = FRINGE_SHUFFLE(c, d, FRINGE_LOW);
    const wide_floats above_ab = FRINGE_SHUFFLE(a, b, FRINGE_HIGH);
    const wide_floats above_cd = FRINGE_SHUFFLE(c, d, FRINGE_HIGH);
    a = FRINGE_SHUFFLE(ab, cd, FRINGE_FIRST);
    b = FRINGE_SHUFFLE(ab, cd, FRINGE_LAST);
    c = FRINGE_SHUFFLE(above_ab, above_cd, FRINGE_FIRST);
    d = FRINGE_SHUFFLE(above_ab, above_cd, FRINGE_LAST);
#undef FRINGE_LOW
#undef FRINGE_HIGH
#undef FRINGE_FIRST
#undef FRINGE_LAST
}

//! Of sixteen complex numbers, interleaved.
FRINGE_INLINE void separate(const wide_floats& a, const wide_floats& b, lanes16& x)
{
    x.re =
        FRINGE_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    x.im =
        FRINGE_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
FRINGE_INLINE void load_interleaved(lanes16& x, const float* from)
{
    wide_floats a, b;
    load(a, from);
    load(b, from + 16);
    separate(a, b, x);
}
FRINGE_INLINE void store_interleaved(const lanes16& x, float* to)
{
    const wide_floats a = FRINGE_SHUFFLE(
        x.re, x.im, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const wide_floats b = FRINGE_SHUFFLE(
        x.re, x.im, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    store(a, to);
    store(b, to + 16);
}

// Sixteen real parts, then the imaginary ones.
FRINGE_INLINE void load_apart(lanes16& x, const float* from)
{
    load(x.re, from);
    load(x.im, from + 16);
}
FRINGE_INLINE void store_apart(const lanes16& x, float* to)
{
    store(x.re, to);
    store(x.im, to + 16);
}

} // namespace gr::fringe::kernels::butterflies

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_BUTTERFLIES_H */
