/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_kernels.h"

namespace gr::fringe::kernels {

namespace {

constexpr int width = tile_layout::width;
constexpr int group_bytes = tile_layout::group;

//! One thread block for 128 inputs of a channel.
__global__ void gather_wrapped(const __grid_constant__ large_task t,
                               std::uint8_t* wrapped)
{
    constexpr int groups = 16;
    const tile_layout& l = t.layout;
    const int begin = blockIdx.y * groups, in_block = static_cast<int>(l.time_groups());
    const int there = min(groups, static_cast<int>(l.input_groups()) - begin);
    int any = 0;
    for (int n = threadIdx.x; n < t.count * groups; n += blockDim.x) {
        if (n % groups < there) {
            const int at = t.first + n / groups;
            any |= t.blocks[at / in_block][l.flag_at(blockIdx.x,
                                                     (begin + n % groups) * 8,
                                                     std::size_t(at % in_block) * width)];
        }
    }
    any = __syncthreads_or(any);
    if (threadIdx.x == 0) {
        wrapped[std::size_t(blockIdx.x) * gridDim.y + blockIdx.y] = any != 0;
    }
}

//! One thread block for the 8 inputs of a group, all planes.
__global__ void mask_group(tile_layout from,
                           const std::int8_t* tiles,
                           int group,
                           int begin,
                           int end,
                           tile_layout to,
                           std::int8_t* out)
{
    const int inputs = static_cast<int>(from.input_groups());
    const int g = blockIdx.x % inputs;
    const std::size_t channel = blockIdx.x / inputs;
    for (int n = threadIdx.x; n < static_cast<int>(from.planes()) * group_bytes;
         n += blockDim.x) {
        const int plane = n / group_bytes, row = n % group_bytes / width, t = n % width;
        const std::size_t at = from.at(channel, plane, g * 8 + row, group * width + t);
        out[to.at(channel, plane, g * 8 + row, t)] =
            t >= begin && t < end ? tiles[at] : std::int8_t(0);
    }
    if (threadIdx.x == 0) {
        const std::size_t at = from.flag_at(channel, g * 8, std::size_t(group) * width);
        out[to.flag_at(channel, g * 8, 0)] = tiles[at];
    }
}

//! One thread block for 8 inputs x 128 spectra; a thread makes 4 spectra at a time.
__global__ void rows_to_tiles(const char2* rows,
                              std::size_t block_spectra,
                              std::size_t first,
                              std::size_t count,
                              tile_layout to,
                              std::int8_t* out)
{
    const int inputs = static_cast<int>(to.input_groups());
    const int g = blockIdx.x % inputs;
    const std::size_t channel = blockIdx.x / inputs;
    const std::size_t begin = blockIdx.y * std::size_t(width);
    const int row = threadIdx.x / 32, column = threadIdx.x % 32 * 4;
    const std::size_t input = g * 8 + row;
    char4 planes[3] = {};
    bool wrapped = false;
    if (input < to.inputs) {
        const char2* const from =
            rows + (channel * to.inputs + input) * block_spectra + first;
        std::int8_t v[3][4] = {};
        for (int k = 0; k < 4; k++) {
            if (begin + column + k < count) {
                const char2 x = from[begin + column + k];
                const int sum = x.x + x.y;
                v[0][k] = x.x;
                v[1][k] = x.y;
                v[2][k] = static_cast<std::int8_t>(sum);
                wrapped |= sum != v[2][k];
            }
        }
        for (int p = 0; p < 3; p++) {
            planes[p] = make_char4(v[p][0], v[p][1], v[p][2], v[p][3]);
        }
    }
    for (int p = 0; p < static_cast<int>(to.planes()); p++) {
        *reinterpret_cast<char4*>(out + to.at(channel, p, input, begin + column)) =
            planes[p];
    }
    wrapped = __syncthreads_or(wrapped);
    if (threadIdx.x == 0) {
        out[to.flag_at(channel, g * 8, begin)] = wrapped;
    }
}

} // namespace

void launch_wrapped(const cuda_context& c, const large_task& t, std::uint8_t* wrapped)
{
    const dim3 grid(t.layout.channels, (t.layout.input_groups() + 15) / 16);
    gather_wrapped<<<grid, 256, 0, c.compute>>>(t, wrapped);
    check_launch("flags of tiles");
}

void launch_mask(const cuda_context& c,
                 const tile_layout& from,
                 const std::int8_t* tiles,
                 int group,
                 int begin,
                 int end,
                 std::int8_t* out)
{
    const tile_layout to{from.inputs, from.channels, tile_layout::width};
    mask_group<<<from.channels * from.input_groups(), 256, 0, c.compute>>>(
        from, tiles, group, begin, end, to, out);
    check_launch("part of a group of spectra");
}

void launch_to_tiles(const cuda_context& c,
                     const tile_layout& to,
                     const std::int8_t* rows,
                     std::size_t block_spectra,
                     std::size_t first,
                     std::size_t count,
                     std::int8_t* out)
{
    const dim3 grid(to.channels * to.input_groups(), (count + width - 1) / width);
    rows_to_tiles<<<grid, 256, 0, c.compute>>>(
        reinterpret_cast<const char2*>(rows), block_spectra, first, count, to, out);
    check_launch("rows to tiles");
}

} // namespace gr::fringe::kernels
