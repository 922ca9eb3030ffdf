/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ARITHMETIC_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ARITHMETIC_CUH

#include "kernels/gridder/w_place.h"
#include <cuda_fp16.h>

// Arithmetic of warps that gridding and degridding by tensor cores share.

namespace gr::fringe::kernels::tensor {

constexpr int polarizations = 4;

__device__ inline unsigned word(__half2 h) { return *reinterpret_cast<unsigned*>(&h); }
__device__ inline __half2 halves(unsigned w) { return *reinterpret_cast<__half2*>(&w); }

//! Waits for all threads of a block; of one warp, for all lanes.
template <int Warps>
__device__ inline void arrive()
{
    if (Warps == 1) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

//! A value that all lanes of a warp have, so that the compiler knows that they have it.
__device__ inline unsigned same_for_all(unsigned x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0u, x);
#else
    return x;
#endif
}

//! The largest of the values, not negative, that the lanes of a warp have.
__device__ inline float largest_of_warp(float x)
{
#if __CUDA_ARCH__ >= 800
    // Floats that are not negative are in the order of their bits.
    return __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(x)));
#else
    for (int step = 16; step > 0; step /= 2) {
        x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
    }
    return x;
#endif
}

//! The smallest power of two that is not below x, and its inverse; between 2^-100 and 2^100.
__device__ inline float2 power_above(float x)
{
    const unsigned bits =
        __float_as_uint(fminf(fmaxf(x, 0x1p-100f), 0x1p100f)) + 0x7fffff;
    const unsigned exponent = bits & 0x7f800000;
    return make_float2(__uint_as_float(exponent), __uint_as_float(0x7f000000 - exponent));
}

//! The phase that the kernels leave out, to 1e-6, which is enough for halves.
__device__ inline float2 short_phase_of(const w_place& x)
{
    float2 p;
    __sincosf(6.283185307179586f * x.turns, &p.y, &p.x);
    return p;
}

//! c += a b on tensor cores: 16 rows of 16 numbers by 16 rows of 8.
__device__ inline void
multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}
//! The same of 16 rows of 8 numbers by 8 rows of 8.
__device__ inline void multiply_add(float (&c)[4], unsigned a0, unsigned a1, unsigned b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(b));
}

//! The product of k and the value whose parts are in `straight` (re, im) and `turned`
//! (-im, re), as value.x and value.y.
__device__ inline unsigned times(unsigned k, uint2 value)
{
    const __half2 kernel = halves(k);
    return word(__hfma2(__low2half2(kernel),
                        halves(value.x),
                        __hmul2(__high2half2(kernel), halves(value.y))));
}

} // namespace gr::fringe::kernels::tensor

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ARITHMETIC_CUH */
