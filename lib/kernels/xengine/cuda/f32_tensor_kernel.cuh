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
#include <type_traits>

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

//! Reads rows of groups of inputs, two spectra a lane. Inputs that are none get those of the
//! last one; nobody reads their products. Aligned: all rows, for wide loads.
template <int Cells, bool Aligned>
class reader
{
public:
    __device__ reader(const tensor_work& w, std::size_t channel, unsigned group)
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
    //! Of a cell, spectra t ... t + 7. There is no branch, because what is read early would
    //! be waited for where both ways meet.
    __device__ float4 read(int k, unsigned t) const
    {
        const float2* const from = d_at + (d_rows[k] + t);
        if constexpr (Aligned) {
            return __ldg(reinterpret_cast<const float4*>(from));
        } else {
            const float2 a = __ldg(from), b = __ldg(from + 1);
            return make_float4(a.x, a.y, b.x, b.y);
        }
    }
    //! The same with zeros from `end` on.
    __device__ float4 read(int k, unsigned t, unsigned end) const
    {
        const float2* const from = d_at + (d_rows[k] + t);
        const unsigned mine = t + threadIdx.x % 4 * 2;
        const float2 a = mine < end ? __ldg(from) : float2{};
        const float2 b = mine + 1 < end ? __ldg(from + 1) : float2{};
        return make_float4(a.x, a.y, b.x, b.y);
    }

private:
    const float2* d_at;
    unsigned d_rows[Cells];
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

//! A group against itself: cells i <= j.
template <int Cells, bool Aligned>
class triangle
{
public:
    static constexpr int inputs = Cells, pairs = Cells * (Cells + 1) / 2;

    __device__ triangle(const tensor_work& w, std::size_t channel, unsigned a)
        : d_in(w, channel, a)
    {
    }
    __device__ const auto& in(int) const { return d_in; }
    static __device__ int cell_of(int k) { return k; }
    //! A step's products; next(k) reads samples again of which nothing is needed any more.
    template <class Next>
    static __device__ void add(float (&sums)[pairs][4], float4 (&raw)[inputs], Next next)
    {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            left_cells x[Cells];
#pragma unroll
            for (int j = 0; j < Cells; j++) {
                const float4& two = raw[j];
                x[j].split_alone(parts(half ? two.z : two.x),
                                 parts(half ? two.w : two.y));
                if (half) {
                    next(j);
                }
                add_products<Cells, false>(sums + j * (j + 1) / 2, x, j + 1, x[j]);
            }
        }
    }

private:
    const reader<Cells, Aligned> d_in;
};

//! Group a against group b > a: all cells i of a with all cells j of b.
template <int Cells, bool Aligned>
class square
{
public:
    static constexpr int inputs = 2 * Cells, pairs = Cells * Cells;

    __device__ square(const tensor_work& w, std::size_t channel, unsigned a, unsigned b)
        : d_a(w, channel, a), d_b(w, channel, b)
    {
    }
    __device__ const auto& in(int k) const { return k < Cells ? d_a : d_b; }
    static __device__ int cell_of(int k) { return k % Cells; }
    template <class Next>
    static __device__ void add(float (&sums)[pairs][4], float4 (&raw)[inputs], Next next)
    {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            left_cells x[(Cells + 1) / 2];
#pragma unroll
            for (int i = 0; i < Cells; i++) {
                const parts re(half ? raw[i].z : raw[i].x),
                    im(half ? raw[i].w : raw[i].y);
                if (half) {
                    next(i);
                }
                if (i == Cells - 1 && Cells % 2 == 1) {
                    x[i / 2].split_alone(re, im);
                } else {
                    x[i / 2].split(i % 2, re, im);
                }
            }
#pragma unroll
            for (int j = 0; j < Cells; j++) {
                const float4& two = raw[Cells + j];
                right_cell y;
                y.split(parts(half ? two.z : two.x), parts(half ? two.w : two.y));
                if (half) {
                    next(Cells + j);
                }
                add_products<Cells, true>(sums + j * Cells, x, Cells, y);
            }
        }
    }

private:
    const reader<Cells, Aligned> d_a, d_b;
};

//! The products of a part, spectra t ... end - 1. Samples are read Ahead steps early.
template <class Part, int Ahead>
__device__ void multiply_part(const Part& part, unsigned t, unsigned end, float4* to)
{
    constexpr int inputs = Part::inputs;
    float sums[Part::pairs][4] = {};
    const unsigned whole = end > t ? (end - t) / step : 0;
    if (whole > 0) {
        const unsigned last = t + (whole - 1) * step;
        float4 raw[Ahead][inputs];
#pragma unroll
        for (int d = 0; d < Ahead; d++) {
#pragma unroll
            for (int k = 0; k < inputs; k++) {
                raw[d][k] = part.in(k).read(Part::cell_of(k), min(t + d * step, last));
            }
        }
        for (unsigned n = 0; n < whole; n += Ahead) {
#pragma unroll
            for (int d = 0; d < Ahead; d++) {
                if (d > 0 && n + d >= whole) {
                    break;
                }
                const unsigned later = min(t + Ahead * step, last);
                Part::add(sums, raw[d], [&](int k) {
                    raw[d][k] = part.in(k).read(Part::cell_of(k), later);
                });
                t += step;
            }
            if (n % steps_of_chain == steps_of_chain - Ahead) {
                flush(sums, to);
            }
        }
    }
    if (t < end) {
        float4 raw[inputs];
#pragma unroll
        for (int k = 0; k < inputs; k++) {
            raw[k] = part.in(k).read(Part::cell_of(k), t, end);
        }
        Part::add(sums, raw, [](int) {});
    }
    flush(sums, to);
}

//! Whether all rows can be read by wide loads.
__device__ inline bool aligned(const tensor_work& w)
{
    return reinterpret_cast<std::uintptr_t>(w.spectra) % sizeof(float4) == 0 &&
           w.stride % 2 == 0;
}

//! Steps that samples are read early: few cells need more of them to keep memory busy.
template <int Cells>
constexpr int ahead = Cells <= 2 ? 4 : 2;
//! Warps of a multiprocessor. With more of them, each has less registers than its sums,
//! operands and what is read early need.
template <int Cells>
constexpr int resident = Cells <= 3 ? 12 : 8;

//! One group: a warp has a channel and a slice of time.
template <int Cells>
__global__ void __launch_bounds__(128, resident<Cells> / 4)
    f32_tensor_few(const tensor_work w)
{
    const std::size_t unit = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32;
    if (unit >= w.layout.channels * w.slices) {
        return;
    }
    const std::size_t channel = unit / w.slices;
    const unsigned slice = unit % w.slices, first = slice * w.slice;
    const unsigned end = min(first + w.slice, w.count);
    float4* const to =
        w.sums + slice * w.layout.size() + w.layout.at(channel, 0) + threadIdx.x % 32;
    const auto with = [&](auto part) {
        multiply_part<decltype(part), ahead<Cells>>(part, first, end, to);
    };
    aligned(w) ? with(triangle<Cells, true>(w, channel, 0))
               : with(triangle<Cells, false>(w, channel, 0));
}

//! More: a warp has a group or a pair of groups of a channel and slice; those of a block
//! read much of the same.
template <int Cells>
__global__ void __launch_bounds__(32 * resident<Cells>)
    f32_tensor_many(const tensor_work w)
{
    const f32_tensor_layout& l = w.layout;
    const std::size_t n = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32;
    const std::size_t unit = n / l.parts();
    const unsigned part = n % l.parts();
    if (unit >= l.channels * w.slices) {
        return;
    }
    const std::size_t channel = unit / w.slices;
    const unsigned slice = unit % w.slices, first = slice * w.slice;
    const unsigned end = min(first + w.slice, w.count);
    float4* const to = w.sums + slice * l.size() + l.at(channel, part) + threadIdx.x % 32;
    const auto groups = l.groups_of(part);
    const auto with = [&](auto is_aligned) {
        constexpr bool wide = decltype(is_aligned)::value;
        if (groups.a == groups.b) {
            multiply_part<triangle<Cells, wide>, 1>(
                {w, channel, groups.a}, first, end, to);
        } else {
            multiply_part<square<Cells, wide>, 1>(
                {w, channel, groups.a, groups.b}, first, end, to);
        }
    };
    aligned(w) ? with(std::true_type()) : with(std::false_type());
}

} // namespace gr::fringe::kernels::f32_tensor

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TENSOR_KERNEL_CUH */
