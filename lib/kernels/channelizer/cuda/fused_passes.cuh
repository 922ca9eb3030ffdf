/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PASSES_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PASSES_CUH

#include "kernels/channelizer/cuda/butterfly.cuh"
#include "kernels/channelizer/cuda/fused_plan.cuh"

namespace gr::fringe::kernels {

//! Asks for bytes that the block reads soon; a hint.
__device__ inline void prefetch(const void* at, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(at), "r"(bytes));
#endif
}

//! Waits for the threads of the same transform.
template <class P>
__device__ __forceinline__ void wait()
{
    if constexpr (P::lanes <= 32) {
        __syncwarp();
    } else if constexpr (P::lanes == P::threads) {
        __syncthreads();
    } else {
        asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.x / P::lanes + 1), "n"(P::lanes)
                     : "memory");
    }
}

/*!
 * Item of pass 3 that is thread t's group g: bins item + R1 R2 a3. Of paired plans,
 * groups 2 h and 2 h + 1 are mirror images of each other, but for t = 0, h = 0, where
 * each is its own.
 */
template <class P>
__device__ __forceinline__ unsigned item_of(unsigned t, int g)
{
    constexpr unsigned R = P::R1 * P::R2;
    if constexpr (!P::paired) {
        return t + P::lanes * g;
    } else {
        switch (g) {
        case 0:
            return t;
        case 1:
            return t == 0 ? R / 2 : R - t;
        case 2:
            return t == 0 ? R / 4 : R / 2 - t;
        default:
            return t == 0 ? 3 * R / 4 : R / 2 + t;
        }
    }
}

//! From `in`, or from zeros where it is null. items(g): the item of pass 3 that is the
//! thread's group g.
template <class P, class Items>
__device__ __forceinline__ void transform(const float2* __restrict__ in,
                                          float2* shared,
                                          const float2* turns,
                                          unsigned t,
                                          float2 (&x)[P::E],
                                          Items items)
{
    constexpr int E = P::E, R1 = P::R1, R2 = P::R2, R3 = P::R3, lanes = P::lanes;
#pragma unroll
    for (int g = 0; g < E / R1; g++) {
#pragma unroll
        for (int j = 0; j < R1; j++) {
            x[g * R1 + j] = in ? __ldcs(in + t + lanes * g + P::C / R1 * j) : float2{};
        }
    }
#pragma unroll
    for (int g = 0; g < E / R1; g++) {
        butterfly<R1>(x + g * R1);
        const unsigned c = t + lanes * g;
        const auto factor = [&](int a) {
            return __ldg(turns + (a - 1) * (P::C / R1) + c);
        };
        if constexpr (P::C < 2048) {
            shared[c] = x[g * R1];
#pragma unroll
            for (int a = 1; a < R1; a++) {
                shared[a * P::pitch_1 + c] = x[g * R1 + a] * factor(a);
            }
        } else { // a large table costs more than products of a few of its values
            const float2 low[4] = {make_float2(1, 0), factor(1), factor(2), factor(3)};
#pragma unroll
            for (int a = 0; a < R1; a += 4) {
                const float2 high = a > 0 ? factor(a) : make_float2(1, 0);
#pragma unroll
                for (int b = 0; b < 4; b++) {
                    const float2 w = a == 0 ? low[b] : b == 0 ? high : high * low[b];
                    shared[(a + b) * P::pitch_1 + c] =
                        a + b == 0 ? x[g * R1] : x[g * R1 + a + b] * w;
                }
            }
        }
    }
    wait<P>();
#pragma unroll
    for (int g = 0; g < E / R2; g++) {
        const unsigned item = t + lanes * g, a1 = item % R1, c = item / R1;
#pragma unroll
        for (int j = 0; j < R2; j++) {
            x[g * R2 + j] = shared[a1 * P::pitch_1 + c + R3 * j];
        }
        butterfly<R2>(x + g * R2);
        if constexpr (R3 > 1) {
#pragma unroll
            for (int a = 1; a < R2; a++) {
                x[g * R2 + a] = x[g * R2 + a] *
                                __ldg(turns + (R1 - 1) * (P::C / R1) + (a - 1) * R3 + c);
            }
        }
    }
    wait<P>();
    constexpr int pitch = R3 == 1 ? P::C : P::pitch_2;
#pragma unroll
    for (int g = 0; g < E / R2; g++) {
        const unsigned item = t + lanes * g, a1 = item % R1, c = item / R1;
#pragma unroll
        for (int a = 0; a < R2; a++) {
            shared[c * pitch + a1 + R1 * a] = x[g * R2 + a];
        }
    }
    wait<P>();
    if constexpr (R3 > 1) {
#pragma unroll
        for (int g = 0; g < E / R3; g++) {
#pragma unroll
            for (int j = 0; j < R3; j++) {
                x[g * R3 + j] = shared[j * pitch + items(g)];
            }
            butterfly<R3>(x + g * R3);
        }
        wait<P>();
#pragma unroll
        for (int g = 0; g < E / R3 && !P::paired; g++) {
#pragma unroll
            for (int a = 0; a < R3; a++) {
                shared[a * (R1 * R2) + t + lanes * g] = x[g * R3 + a];
            }
        }
        if constexpr (!P::paired) {
            wait<P>();
        }
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PASSES_CUH */
