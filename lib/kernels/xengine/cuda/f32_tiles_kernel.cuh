/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_KERNEL_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_KERNEL_CUH

#include "kernels/xengine/cuda/f32_sums.cuh"
#include "kernels/xengine/cuda/f32_tiles.cuh"

namespace gr::fringe::kernels::f32_tiles {

using tile_work = f32_work<f32_layout>;

//! Where a thread's operands are in a stage.
struct operands {
    unsigned x, y;           //!< cells
    unsigned rest_x, rest_y; //!< pairs of inputs of the rest, where there is one
};

//! Two spectra of the rest.
__device__ inline void
add_rest(square_sums<2>& sums, const char* now, const operands& from)
{
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        pair_samples x, y;
        x.load(now + k * step_bytes + from.rest_x);
        y.load(now + k * step_bytes + from.rest_y);
        sums.add(x, y);
    }
}

__device__ inline void flush_rest(square_sums<2>& sums, float4* to)
{
    constexpr unsigned threads = f32_layout::triangle_threads;
    sums.flush_all(to + f32_layout::numbers * threads, threads);
}

//! The row of sums whose turn it is after a stage.
__device__ inline void
flush_turn(square_sums<8>& sums, unsigned stage, float4* to, unsigned threads)
{
    static_assert(stages_of_chain == 8, "one row after each stage");
    switch (stage % stages_of_chain) {
    case 0:
        return sums.flush_row<0>(to, threads);
    case 1:
        return sums.flush_row<1>(to, threads);
    case 2:
        return sums.flush_row<2>(to, threads);
    case 3:
        return sums.flush_row<3>(to, threads);
    case 4:
        return sums.flush_row<4>(to, threads);
    case 5:
        return sums.flush_row<5>(to, threads);
    case 6:
        return sums.flush_row<6>(to, threads);
    default:
        return sums.flush_row<7>(to, threads);
    }
}

//! Multiplies all stages and adds to the sums.
template <bool with_rest>
__device__ void multiply(
    loader& load, const char* shared, const operands from, unsigned count, float4* to)
{
    constexpr unsigned threads =
        with_rest ? f32_layout::triangle_threads : f32_layout::square_threads;
    square_sums<8> sums;
    square_sums<2> rest_sums;
    sums.clear();
    rest_sums.clear();
    const unsigned all = (count + steps - 1) / steps;
    for (unsigned k = 0; k < 8; k++) {
        load.copy(k / 4, k % 4);
    }
    wait_copies<1>();
    __syncthreads();
    cell_samples x[2], y[2];
    x[0].load(shared + from.x);
    y[0].load(shared + from.y);
    unsigned at = 0;
    for (unsigned stage = 0; stage < all; stage++) {
        const unsigned next = at == stages - 1 ? 0 : at + 1;
        // What was read from there was read before the last barrier.
        const unsigned free = next == stages - 1 ? 0 : next + 1;
        const char* now = shared + at * stage_bytes;
#pragma unroll 1
        for (unsigned step = 0; step < steps - 2; step += 2, now += 2 * step_bytes) {
            load.copy(free, step / 2);
            if constexpr (with_rest) {
                add_rest(rest_sums, now, from);
            }
            x[1].load(now + step_bytes + from.x);
            y[1].load(now + step_bytes + from.y);
            sums.add(x[0], y[0]);
            x[0].load(now + 2 * step_bytes + from.x);
            y[0].load(now + 2 * step_bytes + from.y);
            sums.add(x[1], y[1]);
        }
        // The last two steps: the first samples of the next stage are wanted.
        load.copy(free, 3);
        if constexpr (with_rest) {
            add_rest(rest_sums, now, from);
        }
        x[1].load(now + step_bytes + from.x);
        y[1].load(now + step_bytes + from.y);
        sums.add(x[0], y[0]);
        wait_copies<1>();
        __syncthreads();
        at = next;
        x[0].load(shared + at * stage_bytes + from.x);
        y[0].load(shared + at * stage_bytes + from.y);
        sums.add(x[1], y[1]);
        if (to) {
            flush_turn(sums, stage, to, threads);
            if (with_rest && stage % stages_of_chain == 0) {
                flush_rest(rest_sums, to);
            }
        }
    }
    if (to) {
        sums.flush_all(to, threads);
        if constexpr (with_rest) {
            flush_rest(rest_sums, to);
        }
    }
    wait_copies<0>();
}

//! Blocks of squares come first, then those of two triangles each; blockIdx.y: slice.
__global__ void __launch_bounds__(f32_layout::square_threads, 1)
    f32_tiles_kernel(const tile_work w)
{
    extern __shared__ __align__(16) char shared[];
    const f32_layout& l = w.layout;
    const unsigned first = blockIdx.y * w.slice;
    if (first >= w.count) {
        return;
    }
    const unsigned count = min(w.slice, w.count - first);
    float4* sums = w.sums + blockIdx.y * l.size();
    const auto rows = [&](std::size_t channel, unsigned tile) {
        return w.spectra + (channel * l.inputs + tile * f32_layout::tile) * w.stride +
               first;
    };
    const auto inputs = [&](unsigned tile) {
        return static_cast<unsigned>(
            min(std::size_t(f32_layout::tile), l.inputs - tile * f32_layout::tile));
    };
    const std::size_t squares = l.channels * l.squares();
    if (blockIdx.x < squares) {
        const std::size_t channel = blockIdx.x / l.squares();
        unsigned n = blockIdx.x % l.squares(), a = 0;
        const unsigned tiles = l.tiles();
        while (n >= tiles - 1 - a) {
            n -= tiles - 1 - a++;
        }
        const unsigned b = a + 1 + n;
        const sides s = {{rows(channel, a), rows(channel, b)}, {inputs(a), inputs(b)}};
        loader load(s, w.stride, count, shared);
        const auto c = f32_layout::square_cells(threadIdx.x);
        const operands from = {c.i * cell_bytes, side_bytes + c.j * cell_bytes, 0, 0};
        multiply<false>(load,
                        shared,
                        from,
                        count,
                        sums + l.square_at(channel, blockIdx.x % l.squares()) +
                            threadIdx.x);
        return;
    }
    const std::size_t pair = 2 * (blockIdx.x - squares);
    sides s;
    for (unsigned side = 0; side < 2; side++) {
        const bool there = pair + side < l.channels * l.tiles();
        const std::size_t n = there ? pair + side : pair;
        s.rows[side] = rows(n / l.tiles(), n % l.tiles());
        s.inputs[side] = there ? inputs(n % l.tiles()) : 0;
    }
    loader load(s, w.stride, count, shared);
    const unsigned side = threadIdx.x / f32_layout::triangle_threads;
    const unsigned thread = threadIdx.x % f32_layout::triangle_threads;
    const auto c = f32_layout::triangle_cells(thread);
    const auto r = f32_layout::rest_of(thread);
    const unsigned at = side * side_bytes, rest = at + r.cell * cell_bytes;
    const operands from = {at + c.i * cell_bytes,
                           at + c.j * cell_bytes,
                           rest + r.row * 4,
                           rest + r.column * 4};
    multiply<true>(load,
                   shared,
                   from,
                   count,
                   s.inputs[side] ? sums + l.triangle_at(pair + side) + thread : nullptr);
}

} // namespace gr::fringe::kernels::f32_tiles

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_KERNEL_CUH */
