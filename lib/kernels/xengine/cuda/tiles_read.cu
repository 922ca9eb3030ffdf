/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_kernels.h"

namespace gr::fringe::kernels {

namespace {

// Thread blocks of 16 x 16 products: whole sectors of the sums, whose threads of a
// warpgroup stand side by side.
constexpr int side = 16;

struct complex_sum {
    std::int32_t re, im;
};

//! In the stack input i stands twice: R in row i, I in row i + 8 groups.
template <class At>
__device__ complex_sum from_stack(const At& at, int i, int j, int padded)
{
    return {at(i, j) + at(i + padded, j + padded), at(j, i + padded) - at(i, j + padded)};
}

struct small_sums {
    small_plan plan;
    __device__ std::size_t per_channel() const { return plan.sums(); }
    __device__ complex_sum get(const std::int32_t* sums, int i, int j) const
    {
        const auto at = [&](int r, int c) { return sums[plan.in_stack(r, c)]; };
        return from_stack(at, i, j, 8 * plan.groups);
    }
};

struct large_sums {
    tile_plan plan;
    __device__ std::size_t per_channel() const { return plan.sums(); }
    __device__ complex_sum get(const std::int32_t* sums, int i, int j) const
    {
        constexpr int rows = tile_plan::block_rows;
        const int a = i / rows, b = j / rows, r = i % rows, c = j % rows;
        if (!plan.three) {
            const auto at = [&](int i, int j) { return stacked(sums, i, j); };
            return from_stack(at, i, j, 8 * plan.groups);
        }
        if (a == b) {
            return {within(sums, a, r, c),
                    sums[crossed(a, r, c)] - sums[crossed(a, c, r)]};
        }
        const std::size_t at =
            plan.between(a, r / 128, b) + tile_plan::in_square(r % 128, c);
        return {sums[at], sums[at + tile_plan::square]};
    }

private:
    __device__ std::int32_t
    within(const std::int32_t* sums, int block, int r, int c) const
    {
        std::int32_t sum = 0;
        for (int rank = 0; rank < plan.sharing(); rank++) {
            sum += sums[plan.within(block, rank) + tile_plan::in_diagonal(r, c)];
        }
        return sum;
    }
    __device__ std::int32_t stacked(const std::int32_t* sums, int i, int j) const
    {
        constexpr int rows = tile_plan::block_rows;
        const int a = i / rows, b = j / rows, r = i % rows, c = j % rows;
        return a == b
                   ? within(sums, a, r, c)
                   : sums[plan.between(a, r / 128, b) + tile_plan::in_square(r % 128, c)];
    }
    //! I of input r by R of input c of a block.
    __device__ std::size_t crossed(int block, int r, int c) const
    {
        return plan.between(block, r / 128, block) + tile_plan::in_square(r % 128, c);
    }
};

template <class Sums>
__global__ void read_sums(Sums from, const std::int32_t* sums, int inputs, int2* out)
{
    const int j = blockIdx.x * side + threadIdx.x, i = blockIdx.y * side + threadIdx.y;
    if (i > j || j >= inputs) {
        return;
    }
    const std::size_t n = inputs, channel = blockIdx.z;
    const auto s = from.get(sums + channel * from.per_channel(), i, j);
    const std::size_t row = i;
    out[channel * (n * (n + 1) / 2) + row * n - row * (row + 1) / 2 + j] =
        make_int2(s.re, s.im);
}

template <class Sums>
void launch(const cuda_context& c,
            const tile_layout& l,
            const Sums& from,
            const std::int32_t* sums,
            std::size_t per_channel,
            std::size_t first,
            std::size_t count,
            std::int32_t* out)
{
    constexpr std::size_t maximum = 32768; // channels of a launch
    const unsigned blocks = (l.inputs + side - 1) / side;
    for (std::size_t k = 0; k < count; k += maximum) {
        const dim3 grid(blocks, blocks, std::min(maximum, count - k));
        read_sums<<<grid, dim3(side, side), 0, c.compute>>>(
            from,
            sums + (first + k) * per_channel,
            static_cast<int>(l.inputs),
            reinterpret_cast<int2*>(out + 2 * k * baselines(l.inputs)));
        check_launch("sums of the X-engine");
    }
}

} // namespace

void launch_read_small(const cuda_context& c,
                       const tile_layout& l,
                       const std::int32_t* sums,
                       std::size_t first,
                       std::size_t count,
                       std::int32_t* out)
{
    const small_plan plan{static_cast<int>(l.input_groups())};
    launch(c, l, small_sums{plan}, sums, plan.sums(), first, count, out);
}

void launch_read_large(const cuda_context& c,
                       const tile_layout& l,
                       const tile_plan& plan,
                       const std::int32_t* sums,
                       std::size_t first,
                       std::size_t count,
                       std::int32_t* out)
{
    launch(c, l, large_sums{plan}, sums, plan.sums(), first, count, out);
}

} // namespace gr::fringe::kernels
