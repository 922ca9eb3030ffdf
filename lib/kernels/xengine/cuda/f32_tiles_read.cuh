/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH

#include "kernels/xengine/cuda/f32_layout.h"

namespace gr::fringe::kernels {

//! A product of a triangle, from those who have it.
__device__ inline float2 triangle_sum(const float4* from, unsigned i, unsigned j)
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

//! The sum of a product of a slice.
__device__ inline float2 sum_of(
    const f32_layout& l, const float4* sums, std::size_t channel, unsigned i, unsigned j)
{
    const unsigned a = i / f32_layout::tile, b = j / f32_layout::tile;
    const unsigned ii = i % f32_layout::tile, jj = j % f32_layout::tile;
    if (a == b) {
        return triangle_sum(sums + l.triangle_at(channel * l.tiles() + a), ii, jj);
    }
    const unsigned n = ii % 8 * 8 + jj % 8;
    const float4 two = sums[l.square_at(channel, l.square_of(a, b)) +
                            n / 2 * f32_layout::square_threads +
                            f32_layout::square_thread({ii / 8, jj / 8})];
    return n % 2 ? make_float2(two.z, two.w) : make_float2(two.x, two.y);
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_TILES_READ_CUH */
