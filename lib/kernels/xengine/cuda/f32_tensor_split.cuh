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

constexpr unsigned sign = 0x80000000u;

//! A sample of an input for a lane, four successive spectra of 8 inputs for a warp: the
//! right operand y of x conj(y), (re, im) for real parts and (-im, re) for imaginary ones.
//! These numbers are what sums go over.
struct right_cell {
    unsigned high[2], low[2], turned_high[2], turned_low[2];

    __device__ void split(const parts& re, const parts& im)
    {
        high[0] = turned_high[1] = re.high;
        low[0] = turned_low[1] = re.low;
        high[1] = im.high;
        low[1] = im.low;
        turned_high[0] = im.high ^ sign;
        turned_low[0] = im.low ^ sign;
    }
};

//! The left operand, 16 rows. Two cells: (re, im) of 8 inputs each, for both right
//! operands. Or one cell: (re, im) makes real parts with the first right operand, and
//! (im, -re) imaginary ones.
struct left_cells {
    unsigned high[4], low[4];

    __device__ void split(int which, const parts& re, const parts& im)
    {
        high[which] = re.high;
        high[2 + which] = im.high;
        low[which] = re.low;
        low[2 + which] = im.low;
    }
    __device__ void split_alone(const parts& re, const parts& im)
    {
        high[0] = re.high;
        high[1] = high[2] = im.high;
        high[3] = re.high ^ sign;
        low[0] = re.low;
        low[1] = low[2] = im.low;
        low[3] = re.low ^ sign;
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

//! sums[i] += x_i conj(y), i < count: of input lane / 4 of cell x_i with inputs lane % 4 * 2
//! and the next one of y, first two real and then two imaginary parts. Cells x_i are alone,
//! or come in Pairs, but for the last of an odd number. Small products come first. Several
//! products go along side by side, because one waits for its own last one.
template <int Most, bool Pairs, class Right>
__device__ inline void
add_products(float (*sums)[4], const left_cells* x, int count, const Right& y)
{
    const int pairs = Pairs ? count / 2 : 0;
    // Real and imaginary parts of pairs take turns.
    float c[Most][4];
    const auto left = [&](int n) -> const left_cells& {
        return x[n < 2 * pairs ? n / 2 : n - pairs];
    };
    const auto high = [&](int n) {
        if constexpr (Pairs) {
            return n < 2 * pairs && n % 2 == 1 ? y.turned_high : y.high;
        } else {
            return y.high;
        }
    };
    const auto low = [&](int n) {
        if constexpr (Pairs) {
            return n < 2 * pairs && n % 2 == 1 ? y.turned_low : y.low;
        } else {
            return y.low;
        }
    };
#pragma unroll
    for (int n = 0; n < Most && n < count; n++) {
        multiply<true>(c[n], left(n).low, high(n));
    }
#pragma unroll
    for (int n = 0; n < Most && n < count; n++) {
        multiply(c[n], left(n).high, low(n));
    }
#pragma unroll
    for (int n = 0; n < Most && n < count; n++) {
        multiply(c[n], left(n).high, high(n));
    }
#pragma unroll
    for (int i = 0; i < Most && i < count; i++) {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            sums[i][n] +=
                i < 2 * pairs ? c[i / 2 * 2 + n / 2][i % 2 * 2 + n % 2] : c[i][n];
        }
    }
}

} // namespace gr::fringe::kernels::f32_tensor

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_SPLIT_CUH */
