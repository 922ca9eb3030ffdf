/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_PEAKS_CUH
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_PEAKS_CUH

#include "kernels/cuda/context.h"
#include <cstdint>

namespace gr::fringe::kernels {

/*!
 * The highest pixel as one number, so that the higher one of two is the larger: the bits of
 * |value|, then the pixel, of which the first of several counts, then the sign. 0 is no pixel.
 */
namespace peaks {

constexpr unsigned threads = 256;
constexpr unsigned last_pixel = (1u << 30) - 1; //!< of 32768 x 32768

//! What is not a number is no peak, as for find_peak().
__device__ inline unsigned long long key(float value, unsigned pixel)
{
    const unsigned bits = __float_as_uint(value);
    const unsigned size = bits & 0x7fffffffu;
    return size == 0 || value != value ? 0
                                       : (static_cast<unsigned long long>(size) << 32) |
                                             ((last_pixel - pixel) << 1) | (bits >> 31);
}
__host__ __device__ inline unsigned pixel_of(unsigned long long key)
{
    return last_pixel - ((unsigned(key) & 0x7fffffffu) >> 1);
}
//! The bits of the value.
__host__ __device__ inline unsigned bits_of(unsigned long long key)
{
    return unsigned(key >> 32) | (unsigned(key) & 1) << 31;
}

//! The largest of a block of `threads`, for all of its threads.
__device__ inline unsigned long long largest_of_block(unsigned long long key)
{
    __shared__ unsigned long long of_warps[threads / 32];
    for (int step = 16; step > 0; step /= 2) {
        const unsigned long long other = __shfl_xor_sync(0xffffffffu, key, step);
        key = other > key ? other : key;
    }
    __syncthreads(); // all have read those of the call before
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = key;
    }
    __syncthreads();
    for (unsigned k = 0; k < threads / 32; k++) {
        key = of_warps[k] > key ? of_warps[k] : key;
    }
    return key;
}

} // namespace peaks

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_PEAKS_CUH */
