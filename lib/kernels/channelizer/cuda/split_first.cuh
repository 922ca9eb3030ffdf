/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FIRST_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FIRST_CUH

#include "kernels/base/host_device.h"
#include "kernels/channelizer/cuda/butterfly.cuh"
#include "kernels/channelizer/cuda/fir_rows.cuh"

namespace gr::fringe::kernels {

/*!
 * The filter's sums on their way to memory through the first part of a long transform of
 * C = radix x P points,
 *
 *     n = b + P j,  k = a + radix k':
 *     y[a][b] = exp(-2 pi i a b / C) sum_j x[b + P j] exp(-2 pi i a j / radix),
 *
 * so that transforms of P points, one for each a, are left. A block has `radix` runs of
 * neighboring points, one a thread, which its threads exchange in shared memory.
 */
struct split_writer {
    static constexpr int threads = 256, blocks = 2;
    //! Threads of a block: few wait less for each other, many have longer runs.
    static constexpr FRINGE_HOST_DEVICE int threads_for(unsigned radix)
    {
        return radix <= 8 ? 128 : 256;
    }
    //! Spectra at once, and the distance between them: a half warp meets all banks.
    static constexpr int maximum = 8, pitch = threads + 8;
    struct memory {
        float2 points[2][maximum * pitch]; //!< [spectrum][j][b]
        float2 turns[threads];             //!< [a][b]
        float2 inner[32];                  //!< exp(-2 pi i n / radix)
    };

    static __device__ unsigned column(const fir_call& c)
    {
        const unsigned run = blockDim.x / c.radix, points = c.components / 2;
        return 2 * (blockIdx.x * run + threadIdx.x % run +
                    points / c.radix * (threadIdx.x / run));
    }
    __device__ split_writer(const fir_call& c, memory& m)
        : d_memory(m),
          d_points(c.components / 2),
          d_radix(c.radix),
          d_first(c.out + std::size_t(blockIdx.z) * c.out_rows * d_points +
                  blockIdx.x * (blockDim.x / d_radix))
    {
        const unsigned run = blockDim.x / d_radix, part = d_points / d_radix;
        m.turns[threadIdx.x] = c.first_turns[threadIdx.x / run * part + blockIdx.x * run +
                                             threadIdx.x % run];
        if (threadIdx.x < d_radix) {
            m.inner[threadIdx.x] = c.first_turns[d_points + threadIdx.x];
        }
    }
    __device__ void seek(unsigned n) { d_at = d_first + std::size_t(n) * d_points; }
    //! All threads call it with the same count.
    template <int Step>
    __device__ void step(const float (&sum)[Step][2], int count)
    {
        static_assert(Step <= maximum, "they have room");
        if (count <= 0) {
            return;
        }
        float2* const points = d_memory.points[d_half];
#pragma unroll
        for (int u = 0; u < Step; u++) {
            points[u * pitch + threadIdx.x] = make_float2(sum[u][0], sum[u][1]);
        }
        // Who is a step ahead writes to the other half.
        __syncthreads();
        d_half = 1 - d_half;
        const unsigned spectra = min(count, Step);
        switch (d_radix) {
        case 4:
            return pass<4, 4>(points, spectra);
        case 8:
            return pass<8, 8>(points, spectra);
        case 16:
            inner_pass<16, 4>(points, spectra);
            return pass<16, 4>(points, spectra);
        default:
            inner_pass<32, 8>(points, spectra);
            return pass<32, 4>(points, spectra);
        }
    }

private:
    //! Transforms over the first index of j = c + (A / R) i, in place.
    template <int A, int R>
    __device__ void inner_pass(float2* points, unsigned spectra)
    {
        constexpr unsigned all = threads_for(A), run = all / A, rest = A / R;
        for (unsigned n = threadIdx.x; n < spectra * run * rest; n += all) {
            const unsigned c = n / run % rest;
            float2* const at = points + n / (run * rest) * pitch + c * run + n % run;
            float2 x[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                x[i] = at[i * rest * run];
            }
            butterfly<R>(x);
#pragma unroll
            for (int i = 0; i < R; i++) {
                at[i * rest * run] = i == 0 ? x[0] : x[i] * d_memory.inner[c * i];
            }
        }
        __syncthreads();
    }
    //! Transforms over what is left, R points, and writes them.
    template <int A, int R>
    __device__ void pass(const float2* points, unsigned spectra)
    {
        constexpr unsigned all = threads_for(A), run = all / A, before = A / R;
        const unsigned part = d_points / A;
        for (unsigned n = threadIdx.x; n < spectra * run * before; n += all) {
            const unsigned b = n % run, a = n / run % before, s = n / (run * before);
            const float2* const at = points + s * pitch + a * R * run + b;
            float2* const to = d_at + std::size_t(s) * d_points + b;
            float2 x[R];
#pragma unroll
            for (int i = 0; i < R; i++) {
                x[i] = at[i * run];
            }
            butterfly<R>(x);
#pragma unroll
            for (int i = 0; i < R; i++) {
                const unsigned k = a + before * i;
                to[k * part] = x[i] * d_memory.turns[k * run + b];
            }
        }
        d_at += std::size_t(spectra) * d_points;
    }

    memory& d_memory;
    const unsigned d_points, d_radix;
    float2* const d_first;
    float2* d_at = nullptr;
    unsigned d_half = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FIRST_CUH */
