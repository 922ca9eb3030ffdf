/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_CUDA_SEPARABLE_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_CUDA_SEPARABLE_CUH

#include "kernels/cuda/context.h"
#include "kernels/gridder/spread.h"
#include "kernels/gridder/w_intervals.h"

namespace gr::fringe::kernels {

/*!
 * Gridding by the separable kernel. A warp takes visibilities one after the other, and its
 * lanes share the cells around each as in Romein's gridder (2012): a lane owns the cells whose
 * numbers leave the same remainders when they are divided by the support. Of these one is
 * always within the kernel. Its sums are in registers, one for each term of w_intervals, and
 * are added to the planes in memory when the kernel, or the interval in w, has moved on.
 *
 * Each lane first prepares one of 32 visibilities: its place, its value, and the kernel's
 * values along u and v, a polynomial each.
 */
struct separable_work {
    double nu, nv, per_nu, per_nv, u_cells, v_cells, half; //!< half: of the support
    double first_w, planes_per_w, middle;
    unsigned cells_u, cells_v, support;
    bool deep, nodes;                 //!< there are planes in w; they are nodes
    unsigned depth, terms, intervals; //!< depth: planes that a visibility reaches
    int first_plane, planes;          //!< that are in memory
    bool adds;                        //!< degridding adds to what is there
    unsigned polarizations, channels;
    std::size_t count,
        chunk; //!< visibilities of a polarization; of them that a warp does
    const double* uvw;
    const double* waves;     //!< per meter, [channel]
    const float4* in_planes; //!< w_intervals::weights
    float powers[spread_kernel::max_terms][spread_kernel::lanes];
};

namespace separable {

constexpr int warps = 4; //!< of a block
constexpr unsigned all_lanes = ~0u;

//! Numbers to and from memory, in as few steps as there may be.
template <int Parts>
__device__ inline void load(const float* from, float (&values)[Parts])
{
    if constexpr (Parts == 2) {
        const float2 x = *reinterpret_cast<const float2*>(from);
        values[0] = x.x;
        values[1] = x.y;
    } else {
#pragma unroll
        for (int n = 0; n < Parts; n += 4) {
            const float4 x = *reinterpret_cast<const float4*>(from + n);
            values[n] = x.x;
            values[n + 1] = x.y;
            values[n + 2] = x.z;
            values[n + 3] = x.w;
        }
    }
}
template <int Parts>
__device__ inline void store(const float (&values)[Parts], float* to)
{
    if constexpr (Parts == 2) {
        *reinterpret_cast<float2*>(to) = make_float2(values[0], values[1]);
    } else {
#pragma unroll
        for (int n = 0; n < Parts; n += 4) {
            *reinterpret_cast<float4*>(to + n) =
                make_float4(values[n], values[n + 1], values[n + 2], values[n + 3]);
        }
    }
}

//! The visibility of a lane.
struct place {
    std::size_t at; // in [row][channel]
    bool used, conjugate;
    float turns;                  // of the phase of the middle of n - 1
    int from_u, from_v, interval; // first cells, and number of the interval
    float zu, zv, t; // places within the first cell, and the interval, -1 to 1
};

__device__ inline place find(const separable_work& w, std::size_t k)
{
    const std::size_t row = k / w.channels;
    unsigned channel = unsigned(k - row * w.channels);
    // There and back, so that neighbors in this order are neighbors on the grid.
    channel = row % 2 ? w.channels - 1 - channel : channel;
    place x{};
    x.at = row * w.channels + channel;
    const double* const b = w.uvw + 3 * row;
    const double c = b[2] * w.waves[channel];
    x.conjugate = w.deep && c < 0;
    const double side = x.conjugate ? -1 : 1;
    const double u = side * b[0] * w.waves[channel] * w.u_cells;
    const double v = side * b[1] * w.waves[channel] * w.v_cells;
    const double deep = side * c;
    x.used = isfinite(u) && isfinite(v) && isfinite(deep);
    if (!x.used) {
        return x;
    }
    const double in_u = u - w.nu * floor(u * w.per_nu) - w.half;
    const double in_v = v - w.nv * floor(v * w.per_nv) - w.half;
    const double from_u = ceil(in_u), from_v = ceil(in_v);
    x.zu = float(2 * (from_u - in_u) - 1);
    x.zv = float(2 * (from_v - in_v) - 1);
    x.from_u = int(from_u) + (from_u < 0 ? int(w.cells_u) : 0);
    x.from_v = int(from_v) + (from_v < 0 ? int(w.cells_v) : 0);
    const double phase = -deep * w.middle;
    x.turns = float(phase - floor(phase + 0.5));
    x.interval = 0;
    x.t = 0;
    if (w.deep) {
        const auto in = interval_of(
            (deep - w.first_w) * w.planes_per_w, w.half, w.nodes, w.intervals);
        x.t = in.t;
        x.interval = in.plane * int(w.intervals) + in.interval;
        x.used = in.plane + int(w.depth) > w.first_plane &&
                 in.plane < w.first_plane + w.planes;
    }
    return x;
}

//! The kernel on the cells around a place, z from -1 to 1 in the first of them.
template <int Support>
__device__ inline void kernel_at(const separable_work& w, float z, float (&values)[8])
{
    constexpr int terms = Support + 4;
#pragma unroll
    for (int cell = 0; cell < Support; cell++) {
        values[cell] = w.powers[terms - 1][cell];
#pragma unroll
        for (int d = terms - 2; d >= 0; d--) {
            values[cell] = values[cell] * z + w.powers[d][cell];
        }
    }
}

__device__ inline float2 phase(float turns)
{
    float2 p;
    sincospif(2 * turns, &p.y, &p.x);
    return p;
}

//! Calls f(std::integral_constant<int, support>(), <int, polarizations>(), <int, terms>()).
template <class F>
void by_shape(const separable_work& w, const F& f)
{
    const auto with_polarizations = [&](auto support, auto polarizations) {
        switch (w.terms) {
        case 1:
            return f(support, polarizations, std::integral_constant<int, 1>());
        case 2:
            return f(support, polarizations, std::integral_constant<int, 2>());
        case 3:
            return f(support, polarizations, std::integral_constant<int, 3>());
        default:
            return f(support, polarizations, std::integral_constant<int, 4>());
        }
    };
    const auto with_support = [&](auto support) {
        if (w.polarizations == 4) {
            with_polarizations(support, std::integral_constant<int, 4>());
        } else {
            with_polarizations(support, std::integral_constant<int, 1>());
        }
    };
    switch (w.support) {
    case 3:
        return with_support(std::integral_constant<int, 3>());
    case 4:
        return with_support(std::integral_constant<int, 4>());
    case 5:
        return with_support(std::integral_constant<int, 5>());
    case 6:
        return with_support(std::integral_constant<int, 6>());
    case 7:
        return with_support(std::integral_constant<int, 7>());
    default:
        return with_support(std::integral_constant<int, 8>());
    }
}

inline unsigned blocks_of(const separable_work& w)
{
    const std::size_t chunks = (w.count + w.chunk - 1) / w.chunk;
    return unsigned((chunks + warps - 1) / warps);
}

//! Adds visibilities to planes of the grid.
void spread(const separable_work& w,
            const float2* data,
            const float* weights,
            float2* grid,
            cudaStream_t where);
//! Writes visibilities that planes of the grid have, or adds them.
void gather(const separable_work& w,
            const float2* grid,
            float2* data,
            cudaStream_t where);

} // namespace separable

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_SEPARABLE_CUDA_SEPARABLE_CUH */
