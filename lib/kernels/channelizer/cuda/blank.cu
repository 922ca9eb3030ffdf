/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/finish.h"

namespace gr::fringe::kernels {

namespace {

//! blockIdx.x: channel.
__global__ void
blank(const finish_call f, unsigned input, std::size_t first, std::size_t count)
{
    for (std::size_t s = first + threadIdx.x; s < first + count; s += blockDim.x) {
        if (f.tiles) {
            for (std::size_t plane = 0; plane < f.block.planes(); plane++) {
                static_cast<std::uint8_t*>(
                    f.out)[f.block.at(blockIdx.x, plane, input, s)] = 0;
            }
            continue;
        }
        const std::size_t at =
            (blockIdx.x * f.block.inputs + input) * f.block.block_spectra + s;
        if (f.quantize) {
            static_cast<std::uint16_t*>(f.out)[at] = 0;
        } else {
            static_cast<float2*>(f.out)[at] = float2{};
        }
    }
}

} // namespace

void launch_blank(const cuda_context& c,
                  const finish_call& f,
                  unsigned input,
                  std::size_t first,
                  std::size_t count)
{
    if (count > 0) {
        blank<<<static_cast<unsigned>(f.block.channels), 128, 0, c.compute>>>(
            f, input, first, count);
        check_launch("channelizer: blank");
    }
}

} // namespace gr::fringe::kernels
