/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_CUH

#include "kernels/xengine/cuda/f32_copy.cuh"
#include "kernels/xengine/cuda/f32_layout.h"

namespace gr::fringe::kernels::f32_tiles {

// Spectra wait in shared memory as [stage][side][spectrum][cell of 8 inputs]. Each side is
// a tile of 128 inputs: the two of a square, or those of two triangles. A cell has eight
// real parts and then eight imaginary ones: in this order the multipliers' operands come
// from registers of different banks. It takes 80 bytes instead of 64: then the 16 bytes
// number k of eight different cells lie in different banks of shared memory, and so do
// four inputs of eight spectra.
constexpr unsigned steps = 8;  //!< spectra of a stage
constexpr unsigned stages = 3; //!< one in use, two on their way
constexpr unsigned cell_bytes = 80;
constexpr unsigned step_bytes = 16 * cell_bytes + 16;
constexpr unsigned side_bytes = steps * step_bytes;
constexpr unsigned stage_bytes = 2 * side_bytes;
constexpr unsigned shared_bytes = stages * stage_bytes;

//! Stages after which a sum leaves the registers: 64 spectra are few enough for rounding
//! errors of single precision to stay well below 1e-6 of the sum. After each stage another
//! of the eight rows of a thread's sums does, so that memory has a steady stream of them.
constexpr unsigned stages_of_chain = 8;

//! The rows that a block reads: two tiles, and how many of their inputs there are.
struct sides {
    const float2* rows[2];
    unsigned inputs[2];
};

//! Copies stage after stage, eight samples a thread: four inputs a warp, 64 bytes each.
class loader
{
public:
    __device__ loader(const sides& s, std::size_t stride, unsigned count, char* shared)
        : d_stride(32 * stride), d_step(threadIdx.x % steps), d_left(count)
    {
        const unsigned row = threadIdx.x / steps;
        d_there = 0;
        for (unsigned side = 0; side < 2; side++) {
            d_from[side] = s.rows[side] + row * stride + d_step;
            for (unsigned k = 0; k < 4; k++) {
                d_there |= unsigned(row + 32 * k < s.inputs[side]) << (4 * side + k);
            }
        }
        d_to = shared + d_step * step_bytes + row / 8 * cell_bytes + row % 8 * 4;
    }

    //! A quarter of the next stage to the place `at` of stages: little at a time, so that
    //! copies do not hold up what the warps read.
    __device__ void copy(unsigned at, unsigned quarter)
    {
        const unsigned side = quarter / 2, first = quarter % 2 * 2;
        const float2* from = (side ? d_from[1] : d_from[0]) + first * d_stride;
        char* to = d_to + at * stage_bytes + side * side_bytes + first * 4 * cell_bytes;
        if (d_there == 0xff && d_left >= steps) {
#pragma unroll
            for (unsigned k = 0; k < 2; k++) {
                copy_number(to + k * 4 * cell_bytes, &from[k * d_stride].x);
                copy_number(to + k * 4 * cell_bytes + 32, &from[k * d_stride].y);
            }
        } else {
            copy_some(to, from, d_step < d_left ? d_there >> (2 * quarter) & 3 : 0);
        }
        if (quarter == 3) {
            end_copies();
            d_from[0] += steps;
            d_from[1] += steps;
            d_left = d_left > steps ? d_left - steps : 0;
        }
    }

private:
    //! Zeros where there are no inputs or spectra.
    __device__ void copy_some(char* to, const float2* from, unsigned there) const
    {
#pragma unroll 1
        for (unsigned k = 0; k < 2; k++) {
            if (there >> k & 1) {
                copy_number(to, &from->x);
                copy_number(to + 32, &from->y);
            } else {
                *reinterpret_cast<float*>(to) = 0;
                *reinterpret_cast<float*>(to + 32) = 0;
            }
            to += 4 * cell_bytes;
            from += d_stride;
        }
    }

    const float2* d_from[2];
    const std::size_t d_stride; //!< from a sample of a thread to the next
    const unsigned d_step;
    unsigned d_left, d_there;
    char* d_to;
};

//! Eight inputs of one spectrum.
struct cell_samples {
    float re[8], im[8];

    __device__ void load(const char* shared)
    {
        get(re, shared);
        get(re + 4, shared + 16);
        get(im, shared + 32);
        get(im + 4, shared + 48);
    }

private:
    __device__ static void get(float* to, const char* shared)
    {
        const float4 v = *reinterpret_cast<const float4*>(shared);
        to[0] = v.x;
        to[1] = v.y;
        to[2] = v.z;
        to[3] = v.w;
    }
};

//! Two inputs of one spectrum.
struct pair_samples {
    float re[2], im[2];

    __device__ void load(const char* shared)
    {
        const float2 r = *reinterpret_cast<const float2*>(shared);
        const float2 i = *reinterpret_cast<const float2*>(shared + 32);
        re[0] = r.x;
        re[1] = r.y;
        im[0] = i.x;
        im[1] = i.y;
    }
};

//! Sums of n x n products x conj(y) that are in registers.
template <unsigned n>
struct square_sums {
    float re[n][n], im[n][n];

    __device__ void clear()
    {
#pragma unroll
        for (unsigned k = 0; k < n * n; k++) {
            re[k / n][k % n] = im[k / n][k % n] = 0;
        }
    }
    //! One number of x at a time, which stays where the multipliers have it.
    template <class Samples>
    __device__ void add(const Samples& x, const Samples& y)
    {
#pragma unroll
        for (unsigned i = 0; i < n; i++) {
#pragma unroll
            for (unsigned j = 0; j < n; j++) {
                re[i][j] = fmaf(x.re[i], y.re[j], re[i][j]);
            }
#pragma unroll
            for (unsigned j = 0; j < n; j++) {
                im[i][j] = fmaf(-x.re[i], y.im[j], im[i][j]);
            }
#pragma unroll
            for (unsigned j = 0; j < n; j++) {
                im[i][j] = fmaf(x.im[i], y.re[j], im[i][j]);
            }
#pragma unroll
            for (unsigned j = 0; j < n; j++) {
                re[i][j] = fmaf(x.im[i], y.im[j], re[i][j]);
            }
        }
    }
    //! Adds row i to memory, where numbers are `threads` apart, and begins it anew.
    template <unsigned i>
    __device__ void flush_row(float4* to, unsigned threads)
    {
        // Copies, made by adding zeros: the registers of the sums themselves would not be
        // free again before memory has taken them.
        float r[n], m[n];
#pragma unroll
        for (unsigned j = 0; j < n; j++) {
            r[j] = __fadd_rn(re[i][j], 0.0f);
            m[j] = __fadd_rn(im[i][j], 0.0f);
            re[i][j] = im[i][j] = 0;
        }
#pragma unroll
        for (unsigned j = 0; j < n; j += 2) {
            add_to(to + (i * n + j) / 2 * threads, r[j], m[j], r[j + 1], m[j + 1]);
        }
    }
    template <unsigned i = 0>
    __device__ void flush_all(float4* to, unsigned threads)
    {
        flush_row<i>(to, threads);
        if constexpr (i + 1 < n) {
            flush_all<i + 1>(to, threads);
        }
    }
};

} // namespace gr::fringe::kernels::f32_tiles

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_CUH */
