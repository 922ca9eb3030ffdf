/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_POWERS_CUH
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_POWERS_CUH

#include "kernels/kurtosis/cuda/sums.h"

// What a thread adds up of a cell, and how threads add up theirs.
namespace gr::fringe::kernels {

//! Sums of a thread; of int8 exact for up to 65536 spectra that all its neighbors share.
template <class T>
struct powers;

template <>
struct powers<std::int8_t> {
    unsigned s1 = 0;
    unsigned long long s2 = 0;

    //! Two spectra: parts r, i, r, i from the lowest byte on.
    __device__ void add(std::uint32_t pair)
    {
        const int x = static_cast<int>(pair);
        const unsigned first = __dp4a(x & 0xffff, x, 0);
        const unsigned both = __dp4a(x, x, 0);
        const unsigned second = both - first;
        s1 += both;
        s2 += first * first + second * second; // at most 2 x 2^30
    }
};

template <>
struct powers<float> {
    float s1 = 0, s2 = 0;

    __device__ void add(float re, float im)
    {
        const float power = fmaf(re, re, im * im);
        s1 += power;
        s2 = fmaf(power, power, s2);
    }
};

//! Adds the sums of `lanes` threads next to each other, a power of two up to 32, to those
//! of a cell. All threads of a warp call it.
template <class T>
__device__ void add_to_cell(
    const kurtosis_task<T>& t, powers<T> p, unsigned lanes, unsigned cell, bool there)
{
    for (unsigned step = lanes / 2; step > 0; step /= 2) {
        p.s1 += __shfl_xor_sync(0xffffffff, p.s1, step);
        p.s2 += __shfl_xor_sync(0xffffffff, p.s2, step);
    }
    if (there && (threadIdx.x & (lanes - 1)) == 0) {
        atomicAdd(t.s1 + cell, static_cast<typename kurtosis_sum<T>::type>(p.s1));
        atomicAdd(t.s2 + cell, static_cast<typename kurtosis_sum<T>::type>(p.s2));
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_POWERS_CUH */
