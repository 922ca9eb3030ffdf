/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_SPLIT_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_SPLIT_CUH

#include <cuda_runtime.h>

// Products of single precision by tensor cores, which take numbers of 11 bits (TF32): a
// number is the sum of two such, x = high + low, and
//
//     x y = high high + high low + low high + low low.
//
// The last product, 2^-24 of the first on average, is left out. A sum over 4 spectra
// begins at zero and is then added in single precision, because tensor cores round the
// sums that they keep towards zero.
namespace gr::fringe::kernels::f32_tensor {

//! A number in two parts.
struct parts {
    unsigned high, low;

    __device__ explicit parts(float x)
    {
        // The nearest numbers of 11 bits; the first is exact where x is one. The difference
        // is exact. Tensor cores ignore what low has beyond 11 bits.
        high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
        low = __float_as_uint(x - __uint_as_float(high)) + 0x1000u;
    }
};

//! A sample of an input for a lane, four successive spectra of 8 inputs for a warp: the
//! right operand y of x conj(y). Its numbers, re and im, are what sums go over.
struct cell {
    unsigned high[2], low[2];

    __device__ void split(float re, float im)
    {
        const parts r(re), i(im);
        high[0] = r.high;
        high[1] = i.high;
        low[0] = r.low;
        low[1] = i.low;
    }
};

//! The left operand, 16 rows: (re, im) of the 8 inputs make real parts of products, and
//! (im, -re) imaginary ones.
struct left_cell {
    unsigned high[4], low[4];

    __device__ void split(float re, float im)
    {
        const parts r(re), i(im);
        high[0] = r.high;
        high[1] = high[2] = i.high;
        high[3] = r.high ^ 0x80000000u;
        low[0] = r.low;
        low[1] = low[2] = i.low;
        low[3] = r.low ^ 0x80000000u;
    }
};

//! c += x y, or c = x y where it is the first product: 16 x 8 sums over 8 products.
template <bool First = false>
__device__ inline void multiply(float (&c)[4], const unsigned (&x)[4], const unsigned* y)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (First) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
            : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
            : "r"(x[0]),
              "r"(x[1]),
              "r"(x[2]),
              "r"(x[3]),
              "r"(y[0]),
              "r"(y[1]),
              "f"(0.0f));
    } else {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
#endif
}

//! sums[i] += x[i] conj(y), i < count: of input lane / 4 of x[i] with inputs lane % 4 * 2 and the next
//! one of y, first two real and then two imaginary parts. Small products come first. The
//! sums of different i go along side by side, because one waits for its own last product.
template <int Most, class Right>
__device__ inline void
add_products(float (*sums)[4], const left_cell (&x)[Most], int count, const Right& y)
{
    float c[Most][4];
#pragma unroll
    for (int i = 0; i < Most && i < count; i++) {
        multiply<true>(c[i], x[i].low, y.high);
    }
#pragma unroll
    for (int i = 0; i < Most && i < count; i++) {
        multiply(c[i], x[i].high, y.low);
    }
#pragma unroll
    for (int i = 0; i < Most && i < count; i++) {
        multiply(c[i], x[i].high, y.high);
    }
#pragma unroll
    for (int i = 0; i < Most && i < count; i++) {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            sums[i][n] += c[i][n];
        }
    }
}

} // namespace gr::fringe::kernels::f32_tensor

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_SPLIT_CUH */
