/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_KERNEL_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_KERNEL_CUH

#include "kernels/xengine/cuda/f32_copy.cuh"
#include "kernels/xengine/cuda/f32_sums.cuh"
#include "kernels/xengine/cuda/f32_tensor_layout.h"
#include "kernels/xengine/cuda/f32_tensor_split.cuh"
#include <cstdint>

namespace gr::fringe::kernels {

//! The sum of a product, two real parts and then two imaginary ones lying together.
__device__ inline float2 sum_of(const f32_tensor_layout& l,
                                const float4* sums,
                                std::size_t channel,
                                unsigned i,
                                unsigned j)
{
    const float4 two = sums[l.at(channel, i, j)];
    return j % 2 ? make_float2(two.y, two.w) : make_float2(two.x, two.z);
}

} // namespace gr::fringe::kernels

namespace gr::fringe::kernels::f32_tensor {

using tensor_work = f32_work<f32_tensor_layout>;

//! Spectra of a step, two a lane.
constexpr unsigned step = 8;
//! Steps after which sums go to memory: 64 additions in single precision keep the error
//! of a sum of powers near 1e-7.
constexpr unsigned steps_of_chain = 32;
//! Warps of a block.
constexpr unsigned max_warps = 8;

//! Reads rows of groups of inputs. Inputs that are none get those of the last one; nobody
//! reads their products.
template <int Cells>
class reader
{
public:
    __device__ reader(const tensor_work& w, std::size_t channel, unsigned group)
        : d_aligned(reinterpret_cast<std::uintptr_t>(w.spectra) % sizeof(float4) == 0 &&
                    w.stride % 2 == 0)
    {
        const std::size_t inputs = w.layout.inputs;
        const unsigned first = group * Cells * 8, lane = threadIdx.x % 32;
        d_at = w.spectra + (channel * inputs + first) * w.stride + lane % 4 * 2;
#pragma unroll
        for (int k = 0; k < Cells; k++) {
            const unsigned row =
                min(k * 8 + lane / 4, static_cast<unsigned>(inputs) - 1 - first);
            d_rows[k] = row * static_cast<unsigned>(w.stride);
        }
    }
    //! Two spectra from t + lane % 4 * 2 on of a cell, zeros from `end` on.
    __device__ float4 read(int k, unsigned t, unsigned end) const
    {
        const float2* from = d_at + d_rows[k] + t;
        if (d_aligned && t + step <= end) {
            return __ldg(reinterpret_cast<const float4*>(from));
        }
        const unsigned mine = t + threadIdx.x % 4 * 2;
        const float2 a = mine < end ? __ldg(from) : float2{};
        const float2 b = mine + 1 < end ? __ldg(from + 1) : float2{};
        return make_float4(a.x, a.y, b.x, b.y);
    }

private:
    const float2* d_at;
    unsigned d_rows[Cells];
    const bool d_aligned; //!< all rows, for wide loads
};

//! Adds sums to memory, 32 lanes a pair of cells, and begins anew.
template <int Pairs>
__device__ void flush(float (&sums)[Pairs][4], float4* to)
{
#pragma unroll
    for (int p = 0; p < Pairs; p++) {
        add_to(to + p * 32, sums[p][0], sums[p][1], sums[p][2], sums[p][3]);
#pragma unroll
        for (int n = 0; n < 4; n++) {
            sums[p][n] = 0;
        }
    }
}

//! A group against itself: cells i <= j. Samples are read Ahead steps early.
template <int Cells, int Ahead>
__device__ void triangle(const tensor_work& w,
                         std::size_t channel,
                         unsigned group,
                         unsigned t,
                         unsigned end,
                         float4* to)
{
    constexpr int pairs = Cells * (Cells + 1) / 2;
    const reader<Cells> in(w, channel, group);
    float sums[pairs][4] = {};
    float4 raw[Ahead][Cells];
#pragma unroll
    for (int d = 0; d < Ahead; d++) {
#pragma unroll
        for (int k = 0; k < Cells; k++) {
            raw[d][k] = in.read(k, t + d * step, end);
        }
    }
    for (unsigned n = 0; t < end; n += Ahead, t += Ahead * step) {
#pragma unroll
        for (int d = 0; d < Ahead; d++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                left_cell x[Cells];
#pragma unroll
                for (int j = 0; j < Cells; j++) {
                    float4& two = raw[d][j];
                    x[j].split(half ? two.z : two.x, half ? two.w : two.y);
                    if (half) {
                        two = in.read(j, t + (d + Ahead) * step, end);
                    }
                    add_products(sums + j * (j + 1) / 2, x, j + 1, x[j]);
                }
            }
        }
        if (n % steps_of_chain == steps_of_chain - Ahead) {
            flush(sums, to);
        }
    }
    flush(sums, to);
}

//! Group a against group b > a: all cells i of a with all cells j of b.
template <int Cells>
__device__ void square(const tensor_work& w,
                       std::size_t channel,
                       unsigned a,
                       unsigned b,
                       unsigned t,
                       unsigned end,
                       float4* to)
{
    const reader<Cells> in_a(w, channel, a), in_b(w, channel, b);
    float sums[Cells * Cells][4] = {};
    float4 raw[2 * Cells];
#pragma unroll
    for (int k = 0; k < Cells; k++) {
        raw[k] = in_a.read(k, t, end);
        raw[Cells + k] = in_b.read(k, t, end);
    }
    for (unsigned n = 0; t < end; n++, t += step) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            left_cell x[Cells];
#pragma unroll
            for (int i = 0; i < Cells; i++) {
                x[i].split(half ? raw[i].z : raw[i].x, half ? raw[i].w : raw[i].y);
                if (half) {
                    raw[i] = in_a.read(i, t + step, end);
                }
            }
#pragma unroll
            for (int j = 0; j < Cells; j++) {
                float4& two = raw[Cells + j];
                cell y;
                y.split(half ? two.z : two.x, half ? two.w : two.y);
                if (half) {
                    two = in_b.read(j, t + step, end);
                }
                add_products(sums + j * Cells, x, Cells, y);
            }
        }
        if (n % steps_of_chain == steps_of_chain - 1) {
            flush(sums, to);
        }
    }
    flush(sums, to);
}

//! Steps that samples are read early: few cells need more of them to keep memory busy.
template <int Cells>
constexpr int ahead = Cells <= 2 ? 4 : 2;

//! One group: a warp has a channel and a slice of time.
template <int Cells>
__global__ void __launch_bounds__(128) f32_tensor_few(const tensor_work w)
{
    const std::size_t unit = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32;
    if (unit >= w.layout.channels * w.slices) {
        return;
    }
    const std::size_t channel = unit / w.slices;
    const unsigned slice = unit % w.slices, first = slice * w.slice;
    triangle<Cells, ahead<Cells>>(w,
                                  channel,
                                  0,
                                  first,
                                  min(first + w.slice, w.count),
                                  w.sums + slice * w.layout.size() +
                                      w.layout.at(channel, 0) + threadIdx.x % 32);
}

//! More: blocks of warps, each of which has a group or a pair of groups of the same
//! channel and slice.
template <int Cells>
__global__ void __launch_bounds__(32 * max_warps, 1) f32_tensor_many(const tensor_work w)
{
    const f32_tensor_layout& l = w.layout;
    const unsigned warps = blockDim.x / 32, parts = l.parts();
    const unsigned blocks = (parts + warps - 1) / warps;
    const std::size_t unit = blockIdx.x / blocks;
    const unsigned part = blockIdx.x % blocks * warps + threadIdx.x / 32;
    if (part >= parts) {
        return;
    }
    const std::size_t channel = unit / w.slices;
    const unsigned slice = unit % w.slices, first = slice * w.slice;
    const unsigned end = min(first + w.slice, w.count);
    float4* to = w.sums + slice * l.size() + l.at(channel, part) + threadIdx.x % 32;
    const auto groups = l.groups_of(part);
    if (groups.a == groups.b) {
        triangle<Cells, 1>(w, channel, groups.a, first, end, to);
    } else {
        square<Cells>(w, channel, groups.a, groups.b, first, end, to);
    }
}

} // namespace gr::fringe::kernels::f32_tensor

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_KERNEL_CUH */
