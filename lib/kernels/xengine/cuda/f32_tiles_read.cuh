/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH

#include "kernels/xengine/cuda/f32_layout.h"

namespace gr::fringe::kernels::f32_tiles {

//! A product of a triangle, from those who have it.
__device__ float2 triangle_sum(const float4* from, unsigned i, unsigned j)
{
    const auto value = [&](unsigned number, unsigned thread, unsigned odd) {
        const float4 v = from[number * f32_layout::triangle_threads + thread];
        return odd ? make_float2(v.z, v.w) : make_float2(v.x, v.y);
    };
    const f32_layout::cells c = {i / 8, j / 8};
    if (!f32_layout::is_rest(c)) {
        const unsigned n = i % 8 * 8 + j % 8;
        return value(n / 2, f32_layout::triangle_thread(c), n % 2);
    }
    const unsigned n = i % 2 * 2 + j % 2;
    const unsigned thread = f32_layout::rest_thread({c.i, i % 8, j % 8});
    return value(f32_layout::numbers + n / 2, thread, n % 2);
}

//! A thread has a product (i, j): x: j, y: i, z: channels.
__global__ void f32_tiles_read(f32_layout l,
                               const float4* sums,
                               unsigned slices,
                               std::size_t first,
                               std::size_t count,
                               float2* out)
{
    const unsigned i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= l.inputs || j < i) {
        return;
    }
    const std::size_t products = l.inputs * (l.inputs + 1) / 2;
    const std::size_t product = i * l.inputs - std::size_t(i) * (i + 1) / 2 + j;
    const unsigned a = i / f32_layout::tile, b = j / f32_layout::tile;
    const unsigned ii = i % f32_layout::tile, jj = j % f32_layout::tile;
    for (std::size_t c = blockIdx.z; c < count; c += gridDim.z) {
        double re = 0, im = 0;
        for (unsigned slice = 0; slice < slices; slice++) {
            const float4* from = sums + slice * l.size();
            float2 v;
            if (a == b) {
                v = triangle_sum(
                    from + l.triangle_at((first + c) * l.tiles() + a), ii, jj);
            } else {
                const unsigned n = ii % 8 * 8 + jj % 8;
                const float4 two = from[l.square_at(first + c, l.square_of(a, b)) +
                                        n / 2 * f32_layout::square_threads +
                                        f32_layout::square_thread({ii / 8, jj / 8})];
                v = n % 2 ? make_float2(two.z, two.w) : make_float2(two.x, two.y);
            }
            re += v.x;
            im += v.y;
        }
        out[c * products + product] =
            make_float2(static_cast<float>(re), i == j ? 0 : static_cast<float>(im));
    }
}

} // namespace gr::fringe::kernels::f32_tiles

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH */
