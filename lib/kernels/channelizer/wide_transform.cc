/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/wide_transform.h"
#include "kernels/channelizer/butterflies.h"
#include <cmath>
#include <stdexcept>
#include <string>

namespace gr::fringe::kernels {

using namespace butterflies;

namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t max_points = 4096;

//! What the passes work on.
struct passes {
    std::size_t groups;
    bool apart;
    const float *first, *between, *last; //!< factors
    float* work; //!< [group][k][q], each sixteen real parts, then the imaginary ones
};

//! Times what stands in memory, `count` times in a row.
template <int count>
FRINGE_INLINE const float* multiply_all(lanes16* x, const float* factors)
{
#pragma GCC unroll 16
    for (int k = 0; k < count; k++, factors += 2 * lanes) {
        lanes16 w;
        load_apart(w, factors);
        multiply(x[k], w.re, w.im);
    }
    return factors;
}

//! The sums over q of four rows of one k, times exp(-2 pi i e q' / 16).
FRINGE_INLINE void add_rows(lanes16* x, const float* factors)
{
    radix_4(x[0], x[1], x[2], x[3]);
    multiply_all<3>(x + 1, factors);
}

//! Where there is one group its rows are added right here.
template <bool one_group, bool apart>
FRINGE_INLINE void first_pass(const passes& f, const float* in)
{
    const float* factors = f.first;
    const std::size_t step = 2 * lanes * (one_group ? 1 : f.groups);
    float* to = f.work;
    for (std::size_t g = 0; g < (one_group ? 1 : f.groups); g++, in += 2 * lanes) {
        lanes16 x[16];
#pragma GCC unroll 16
        for (std::size_t m = 0; m < 16; m++) {
            if (apart) {
                load_apart(x[m], in + m * step);
            } else {
                load_interleaved(x[m], in + m * step);
            }
        }
        radix_16(x);
#pragma GCC unroll 16
        for (int k = 0; k < 4; k++) {
            lanes16* const y = x + 4 * k;
            factors =
                k > 0 ? multiply_all<4>(y, factors) : multiply_all<3>(y + 1, factors);
            swap_groups(y[0].re, y[1].re, y[2].re, y[3].re);
            swap_groups(y[0].im, y[1].im, y[2].im, y[3].im);
            if (one_group) {
                add_rows(y, f.last);
            }
#pragma GCC unroll 16
            for (int q = 0; q < 4; q++, to += 2 * lanes) {
                store_apart(y[q], to);
            }
        }
    }
}

//! Sums over the groups, times what belongs between the passes.
template <int groups>
FRINGE_INLINE void middle_pass(const passes& f)
{
    for (std::size_t row = 0; row < 16; row++) {
        float* const at = f.work + 2 * lanes * row;
        lanes16 x[groups];
#pragma GCC unroll 16
        for (int g = 0; g < groups; g++) {
            load_apart(x[g], at + 2 * lanes * 16 * g);
        }
        transform<groups>(x);
        const float* const factors = f.between + row % 4 * (groups - 1) * 2 * lanes;
#pragma GCC unroll 16
        for (int g = 0; g < groups; g++) {
            if (g > 0) {
                multiply_all<1>(x + place<groups>(g), factors + 2 * lanes * (g - 1));
            }
            store_apart(x[place<groups>(g)], at + 2 * lanes * 16 * g);
        }
    }
}

//! Sums over n2 mod 16, to where their bins belong.
template <bool one_group>
FRINGE_INLINE void last_pass(const passes& f, float* out)
{
    const std::size_t groups = one_group ? 1 : f.groups;
    for (std::size_t g = 0; g < groups; g++) {
        lanes16 x[16];
#pragma GCC unroll 16
        for (int k = 0; !one_group && k < 4; k++) {
#pragma GCC unroll 16
            for (int q = 0; q < 4; q++) {
                load_apart(x[4 * k + q], f.work + 2 * lanes * (16 * g + 4 * k + q));
            }
            add_rows(x + 4 * k, f.last);
        }
#pragma GCC unroll 16
        for (int q = 0; q < 4; q++) {
#pragma GCC unroll 16
            for (int k = 0; one_group && k < 4; k++) {
                load_apart(x[4 * k + q], f.work + 2 * lanes * (4 * k + q));
            }
            swap_lanes(x[q].re, x[4 + q].re, x[8 + q].re, x[12 + q].re);
            swap_lanes(x[q].im, x[4 + q].im, x[8 + q].im, x[12 + q].im);
            radix_4(x[q], x[4 + q], x[8 + q], x[12 + q]);
#pragma GCC unroll 16
            for (std::size_t e = 0; e < 4; e++) {
                store_interleaved(x[4 * e + q],
                                  out + 2 * lanes * (g + groups * (q + 4 * e)));
            }
        }
    }
}

template <bool one_group>
FRINGE_INLINE void outer_pass(const passes& f, const float* in)
{
    if (f.apart) {
        first_pass<one_group, true>(f, in);
    } else {
        first_pass<one_group, false>(f, in);
    }
}

FRINGE_INLINE void all_passes(const passes& f, const float* in, float* out)
{
    if (f.groups == 1) {
        outer_pass<true>(f, in);
        last_pass<true>(f, out);
        return;
    }
    outer_pass<false>(f, in);
    if (f.groups == 2) {
        middle_pass<2>(f);
    } else if (f.groups == 4) {
        middle_pass<4>(f);
    } else if (f.groups == 8) {
        middle_pass<8>(f);
    } else {
        middle_pass<16>(f);
    }
    last_pass<false>(f, out);
}

#ifdef FRINGE_SIMD_512
FRINGE_SIMD_512 void run_passes(const passes& f, const float* in, float* out)
{
    all_passes(f, in, out);
}
FRINGE_SIMD_512 bool wide_vectors() { return true; }
#endif
FRINGE_SIMD_128 void run_passes(const passes& f, const float* in, float* out)
{
    all_passes(f, in, out);
}
FRINGE_SIMD_128 bool wide_vectors() { return false; }

//! exp(-2 pi i turns), lane by lane.
template <class F>
void append_factors(aligned_vector<float>& to, F turns)
{
    const std::size_t at = to.size();
    to.resize(at + 2 * lanes);
    for (std::size_t lane = 0; lane < lanes; lane++) {
        const double angle = -2 * M_PI * turns(lane);
        to[at + lane] = static_cast<float>(std::cos(angle));
        to[at + lanes + lane] = static_cast<float>(std::sin(angle));
    }
}

double ratio(std::size_t a, std::size_t b)
{
    return static_cast<double>(a) / static_cast<double>(b);
}

std::size_t checked_groups(std::size_t points)
{
    if (!wide_transform::serves(points)) {
        throw std::invalid_argument("wide_transform: no transform of " +
                                    std::to_string(points) + " points");
    }
    return points / 256;
}

} // namespace

bool wide_transform::serves(std::size_t points)
{
    return points >= 256 && points <= max_points && (points & (points - 1)) == 0;
}

bool wide_transform::is_fast() { return wide_vectors(); }

wide_transform::wide_transform(std::size_t points) : d_groups(checked_groups(points))
{
    for (std::size_t g = 0; g < d_groups; g++) {
        for (std::size_t k = 1; k < 16; k++) { // in the order of radix_16()
            const std::size_t bin = k / 4 + 4 * (k % 4);
            append_factors(d_first, [&](std::size_t lane) {
                return ratio((16 * g + lane) * bin, points);
            });
        }
    }
    for (std::size_t q = 0; q < 4; q++) {
        for (std::size_t g = 1; g < d_groups; g++) {
            append_factors(d_between, [&](std::size_t lane) {
                return ratio((4 * q + lane % 4) * g, 16 * d_groups);
            });
        }
    }
    for (std::size_t q = 1; q < 4; q++) {
        append_factors(d_last, [&](std::size_t lane) { return ratio(lane % 4 * q, 16); });
    }
}

void wide_transform::run(const float* in, bool apart, std::complex<float>* out) const
{
    alignas(64) float work[2 * max_points];
    run_passes({d_groups, apart, d_first.data(), d_between.data(), d_last.data(), work},
               in,
               reinterpret_cast<float*>(out));
}

} // namespace gr::fringe::kernels
