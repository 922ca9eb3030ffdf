/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/real_bins.h"
#include "kernels/base/simd.h"
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t group = 8; // complex numbers of a vector

FRINGE_INLINE void reverse(wide_floats& x)
{
    x = __builtin_shufflevector(
        x, x, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
}

//! Bins 1 ... N/2 and those that mirror them, a vector of each at a time. The vector of the last
//! bins has N/2 in both: it is read before it is written, and comes out the same twice.
FRINGE_SIMD void mirror(const float* factors, std::size_t count, float* bins)
{
    constexpr wide_floats conjugate = {
        1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    for (std::size_t k = 1; k < count / 2; k += group, factors += 4 * group) {
        float* const low = bins + 2 * k;
        float* const high = bins + 2 * (count - k - group + 1);
        wide_floats a, b, wr, wi;
        load(a, low);
        load(b, high);
        load(wr, factors);
        load(wi, factors + 2 * group);
        reverse(b);
        const wide_floats sum = a + conjugate * b, difference = a - conjugate * b;
        const wide_floats swapped = __builtin_shufflevector(
            difference, difference, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
        const wide_floats turned = wr * difference + wi * swapped;
        a = 0.5f * sum + turned;
        b = conjugate * (0.5f * sum - turned);
        reverse(b);
        store(b, high);
        store(a, low);
    }
}

} // namespace

real_bins::real_bins(std::size_t count) : d_count(count)
{
    for (std::size_t k = 1; k < count / 2; k += group) {
        const std::size_t at = d_factors.size();
        d_factors.resize(at + 4 * group);
        for (std::size_t l = 0; l < group; l++) {
            const double angle =
                M_PI * static_cast<double>(k + l) / static_cast<double>(count);
            float* const w = &d_factors[at + 2 * l]; // exp(-i angle) / 2i
            w[0] = w[1] = static_cast<float>(-0.5 * std::sin(angle));
            w[2 * group + 1] = static_cast<float>(-0.5 * std::cos(angle));
            w[2 * group] = -w[2 * group + 1];
        }
    }
}

void real_bins::make(std::complex<float>* bins) const
{
    const std::complex<float> first = bins[0];
    mirror(d_factors.data(), d_count, reinterpret_cast<float*>(bins));
    bins[0] = first.real() + first.imag();
    bins[d_count] = first.real() - first.imag();
}

} // namespace gr::fringe::kernels
