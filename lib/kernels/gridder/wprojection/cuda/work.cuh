/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_WORK_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_WORK_CUH

#include "kernels/gridder/w_place.h"
#include <cuda_runtime.h>

namespace gr::fringe::kernels {

//! What the kernels of a convolver are given.
struct convolver_work {
    w_geometry g;
    const float2* table; //!< [plane][fraction of v][fraction of u][v][u]
    const double* uvw;   //!< meters, [row][3]
    const double* waves; //!< per meter, [channel]
    unsigned channels;
    std::size_t count; //!< visibilities
    std::size_t chunk; //!< of them that a block does
    //! Updates of cells in memory are added here, unless it is null.
    unsigned long long* updates;
};

//! The channels of a row from one end to the other, and of the next row back, so that
//! neighbors in this order are neighbors on the grid.
__device__ inline std::size_t
in_turn(const convolver_work& w, std::size_t k, std::size_t& row, unsigned& channel)
{
    row = k / w.channels;
    channel = unsigned(k - row * w.channels);
    channel = row % 2 ? w.channels - 1 - channel : channel;
    return row * w.channels + channel;
}

__device__ inline w_place
place_of(const convolver_work& w, std::size_t row, unsigned channel)
{
    const double* b = w.uvw + 3 * row;
    return place_of(w.g, b[0], b[1], b[2], w.waves[channel]);
}

//! A visibility in shared memory: its first cell, and where its kernel begins.
struct __align__(16) staged_place
{
    int u, v;
    unsigned kernel;
    unsigned unused;
};

//! Weights of the neighboring entries of the table.
struct staged_weights {
    float u[3], v[3], w[3];
};

__device__ inline void stage(const convolver_work& w,
                             const w_place& x,
                             staged_place& place,
                             staged_weights* weights)
{
    place.u = x.u;
    place.v = x.v;
    place.kernel =
        unsigned(x.plane * w.g.plane_step() + x.fv * w.g.v_step() + x.fu * w.g.cells());
    if (weights) {
        parabola(x.tu, weights->u);
        parabola(x.tv, weights->v);
        parabola(x.tw, weights->w);
    }
}

//! Entry `local` of a visibility's kernel.
template <bool Interpolate>
__device__ inline float2 kernel_value(const convolver_work& w,
                                      const staged_place& place,
                                      const staged_weights* weights,
                                      unsigned local)
{
    if (!Interpolate) {
        return __ldg(w.table + place.kernel + local);
    }
    const float2* at = w.table + place.kernel + local;
    const bool one_plane = w.g.plane_taps() == 1;
    float2 sum = make_float2(0, 0);
    for (int p = -1; p <= 1; p++) {
        if (one_plane && p != 0) {
            continue;
        }
        const float a = one_plane ? 1 : weights->w[p + 1];
        for (int j = -1; j <= 1; j++) {
            const float b = a * weights->v[j + 1];
            const float2* line =
                at + p * (long long)(w.g.plane_step()) + j * (long long)(w.g.v_step());
#pragma unroll
            for (int i = -1; i <= 1; i++) {
                const float2 k = __ldg(line + i * int(w.g.cells()));
                const float c = b * weights->u[i + 1];
                sum.x += c * k.x;
                sum.y += c * k.y;
            }
        }
    }
    return sum;
}

__device__ inline float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

//! The phase that the kernels leave out.
__device__ inline float2 phase_of(const w_place& x)
{
    float2 p;
    sincospif(2 * x.turns, &p.y, &p.x);
    return p;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_WORK_CUH */
