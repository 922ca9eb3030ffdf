/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/cuda/powers.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
//! Pieces of 16 bytes in a row of a group: a thread each.
constexpr unsigned lanes = tile_layout::width / 16;
//! Groups of spectra that a row's threads add up: 32 bits hold their powers.
constexpr std::size_t max_groups = 65536 / tile_layout::width;

//! The first n of four bytes.
__device__ std::uint32_t first_bytes(std::uint32_t word, int n)
{
    return n >= 4 ? word : n > 0 ? word & ((1u << 8 * n) - 1) : 0;
}

//! The first `spectra` of 16.
__device__ void
add_planes(powers<std::int8_t>& p, const uint4& re, const uint4& im, int spectra)
{
    std::uint32_t r[4] = {re.x, re.y, re.z, re.w}, i[4] = {im.x, im.y, im.z, im.w};
    if (spectra < 16) {
#pragma unroll
        for (int w = 0; w < 4; w++) {
            r[w] = first_bytes(r[w], spectra - 4 * w);
            i[w] = first_bytes(i[w], spectra - 4 * w);
        }
    }
#pragma unroll
    for (int w = 0; w < 4; w++) {
        p.add(__byte_perm(r[w], i[w], 0x5140));
        p.add(__byte_perm(r[w], i[w], 0x7362));
    }
}

//! Eight threads for an input; blockIdx.y: parts of `part` groups of spectra.
__global__ void __launch_bounds__(threads)
    sum_tiles(const kurtosis_task<std::int8_t> t, unsigned groups, unsigned part)
{
    const tile_layout& l = t.block;
    const auto input_groups = static_cast<unsigned>(l.input_groups());
    const unsigned unit = (blockIdx.x * threads + threadIdx.x) / lanes;
    const unsigned place = threadIdx.x % lanes, row = unit % l.rows;
    const unsigned channel = unit / l.rows / input_groups;
    const unsigned input = (unit / l.rows - channel * input_groups) * l.rows + row;
    // The swizzle: which spectra stand at this place.
    const unsigned column = (place ^ row) * 16;
    const auto count = static_cast<unsigned>(t.count);
    powers<std::int8_t> p;
    if (channel < l.channels) {
        const std::size_t plane = l.input_groups() * l.group;
        const std::size_t slab = l.slab_groups() * l.group;
        const std::size_t first = l.at(channel, 0, input, column);
        const std::size_t flag = l.flag_at(channel, input, 0);
        const bool with_sum = t.copy && l.planes() == 3;
        const auto in = static_cast<const char*>(t.in);
        const auto out = static_cast<char*>(t.copy);
        const unsigned end = min(groups, (blockIdx.y + 1) * part);
#pragma unroll 2
        for (unsigned g = blockIdx.y * part; g < end; g++) {
            const std::size_t at = first + g * slab;
            const uint4 re = __ldcs(reinterpret_cast<const uint4*>(in + at));
            const uint4 im = __ldcs(reinterpret_cast<const uint4*>(in + at + plane));
            if (with_sum) {
                *reinterpret_cast<uint4*>(out + at + 2 * plane) =
                    __ldcs(reinterpret_cast<const uint4*>(in + at + 2 * plane));
                if (row == 0 && place == 0) {
                    out[flag + g * input_groups] = in[flag + g * input_groups];
                }
            }
            if (out) {
                *reinterpret_cast<uint4*>(out + at) = re;
                *reinterpret_cast<uint4*>(out + at + plane) = im;
            }
            const unsigned time = g * l.width + column;
            add_planes(p, re, im, time < count ? min(count - time, 16u) : 0);
        }
    }
    add_to_cell(t,
                p,
                lanes,
                channel * static_cast<unsigned>(l.inputs) + input,
                channel < l.channels && input < l.inputs);
}

} // namespace

void launch_sum_tiles(const cuda_context& c, const kurtosis_task<std::int8_t>& t)
{
    const tile_layout& l = t.block;
    const std::size_t groups =
        t.copy ? l.time_groups() : (t.count + l.width - 1) / l.width;
    if (groups == 0) {
        return;
    }
    const std::size_t units = l.channels * l.input_groups() * l.rows;
    const std::size_t grid = (units * lanes + threads - 1) / threads;
    const std::size_t fill = c.multiprocessors * (2048 / threads) * 2;
    const std::size_t parts = std::min<std::size_t>((fill + grid - 1) / grid, groups);
    const std::size_t part = std::max(std::min((groups + parts - 1) / parts, max_groups),
                                      (groups + 65534) / 65535);
    const dim3 blocks(static_cast<unsigned>(grid),
                      static_cast<unsigned>((groups + part - 1) / part));
    sum_tiles<<<blocks, threads, 0, c.compute>>>(
        t, static_cast<unsigned>(groups), static_cast<unsigned>(part));
    check_launch("kurtosis: sums of tiles");
}

} // namespace gr::fringe::kernels
