/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BUTTERFLY_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BUTTERFLY_CUH

#include "kernels/channelizer/cuda/complex.cuh"

// Short forward transforms in registers, natural order in and out.
namespace gr::fringe::kernels {

//! cos(2 pi k / 32), k = 0 ... 8.
__host__ __device__ constexpr float cosine_32(int k)
{
    constexpr float table[] = {1.0f,
                               0.980785280f,
                               0.923879533f,
                               0.831469612f,
                               0.707106781f,
                               0.555570233f,
                               0.382683432f,
                               0.195090322f,
                               0.0f};
    return table[k];
}

//! x exp(-2 pi i k / 32); k is known when compiling.
__device__ __forceinline__ float2 turn_32(float2 x, int k)
{
    constexpr float half = 0.707106781f;
    switch (k) {
    case 0:
        return x;
    case 4:
        return make_float2(half * (x.x + x.y), half * (x.y - x.x));
    case 8:
        return make_float2(x.y, -x.x);
    case 12:
        return make_float2(half * (x.y - x.x), -half * (x.x + x.y));
    case 16:
        return make_float2(-x.x, -x.y);
    }
    // Quarter turns aside, an angle of the first quadrant.
    const int quarter = k / 8, rest = k % 8;
    const float2 y = x * make_float2(cosine_32(rest), -cosine_32(8 - rest));
    return quarter == 0   ? y
           : quarter == 1 ? make_float2(y.y, -y.x)
           : quarter == 2 ? make_float2(-y.x, -y.y)
                          : make_float2(-y.y, y.x);
}

//! Transforms x[0], x[Stride], ... in place.
template <int N, int Stride = 1>
__device__ __forceinline__ void butterfly(float2* x)
{
    if constexpr (N == 1) {
        return;
    } else if constexpr (N == 2) {
        const float2 a = x[0], b = x[Stride];
        x[0] = a + b;
        x[Stride] = a - b;
    } else if constexpr (N == 4) {
        const float2 a = x[0] + x[2 * Stride], b = x[0] - x[2 * Stride];
        const float2 c = x[Stride] + x[3 * Stride], d = x[Stride] - x[3 * Stride];
        const float2 turned = make_float2(d.y, -d.x);
        x[0] = a + c;
        x[Stride] = b + turned;
        x[2 * Stride] = a - c;
        x[3 * Stride] = b - turned;
    } else {
        // n = B a + b, k = k_a + A k_b.
        constexpr int A = 4, B = N / 4;
#pragma unroll
        for (int b = 0; b < B; b++) {
            butterfly<A, B * Stride>(x + b * Stride);
#pragma unroll
            for (int a = 1; a < A; a++) {
                x[(B * a + b) * Stride] =
                    turn_32(x[(B * a + b) * Stride], a * b * 32 / N);
            }
        }
        float2 y[N];
#pragma unroll
        for (int a = 0; a < A; a++) {
            butterfly<B, Stride>(x + B * a * Stride);
#pragma unroll
            for (int b = 0; b < B; b++) {
                y[a + A * b] = x[(B * a + b) * Stride];
            }
        }
#pragma unroll
        for (int n = 0; n < N; n++) {
            x[n * Stride] = y[n];
        }
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BUTTERFLY_CUH */
