/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_SEPARABLE_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_SEPARABLE_CUH

#include "kernels/cuda/context.h"
#include "kernels/gridder/spread.h"
#include "kernels/gridder/w_intervals.h"

namespace gr {
namespace fringe {
namespace kernels {

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
    unsigned polarisations, channels;
    std::size_t count,
        chunk; //!< visibilities of a polarisation; of them that a warp does
    const double* uvw;
    const double* waves;     //!< per metre, [channel]
    const float4* in_planes; //!< w_intervals::weights
    float powers[spread_kernel::max_terms][spread_kernel::lanes];
};

namespace separable {

constexpr int warps = 4; //!< of a block
constexpr unsigned all_lanes = ~0u;

//! A visibility that a lane has prepared, in shared memory: rows lie in different banks.
struct __align__(16) prepared
{
    float u[8], v[8];             // the kernel
    float t;                      // place in the interval
    int from_u, from_v, interval; // first cells, and number of the interval
    float value[8];
};

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
    int from_u, from_v, interval; // as in prepared
    float zu, zv, t; // places within the first cell, and the interval, -1 to 1
};

__device__ inline place find(const separable_work& w, std::size_t k)
{
    const std::size_t row = k / w.channels;
    unsigned channel = unsigned(k - row * w.channels);
    // There and back, so that neighbours in this order are neighbours on the grid.
    channel = row % 2 ? w.channels - 1 - channel : channel;
    place x;
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

//! Fills in all but the value.
template <int Support>
__device__ inline void prepare(const separable_work& w, const place& x, prepared& to)
{
    constexpr int terms = Support + 4;
    const auto kernel = [&](float z, float* out) {
        float values[8] = {};
#pragma unroll
        for (int cell = 0; cell < Support; cell++) {
            values[cell] = w.powers[terms - 1][cell];
#pragma unroll
            for (int d = terms - 2; d >= 0; d--) {
                values[cell] = values[cell] * z + w.powers[d][cell];
            }
        }
        store(values, out);
    };
    kernel(x.zu, to.u);
    kernel(x.zv, to.v);
    to.t = x.t;
    to.from_u = x.from_u;
    to.from_v = x.from_v;
    to.interval = x.interval;
}

//! The number of a lane's bit among those that are set.
__device__ inline int rank_of(unsigned set)
{
    return __popc(set & ((1u << (threadIdx.x % 32)) - 1));
}

//! The cells that a lane owns: in each of some rounds one, and polarisations of it. Small
//! kernels have so few cells that two lanes share one.
template <int Support, int Polarisations>
class owned_cells
{
public:
    static constexpr int shares = Polarisations == 4 && Support <= 4 ? 2 : 1;
    static constexpr int parts = 2 * Polarisations / shares; // real numbers of a share
    static constexpr int tasks = Support * Support * shares;
    static constexpr int rounds = (tasks + 31) / 32;

    __device__ static int task(int round) { return int(threadIdx.x % 32) + 32 * round; }
    __device__ static bool there(int round) { return task(round) < tasks; }
    __device__ static int share() { return int(threadIdx.x) % shares; }

    //! Whether the owned cell of a round is another for a visibility than it is now.
    __device__ bool left_by(const prepared& x, int round) const
    {
        return x.from_u + behind(own_u(round), x.from_u) != d_u[round] ||
               x.from_v + behind(own_v(round), x.from_v) != d_v[round];
    }
    __device__ void move_to(const prepared& x)
    {
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            d_du[r] = behind(own_u(r), x.from_u);
            d_dv[r] = behind(own_v(r), x.from_v);
            d_u[r] = x.from_u + d_du[r];
            d_v[r] = x.from_v + d_dv[r];
        }
    }
    //! The kernel on the owned cell.
    __device__ float kernel(const prepared& x, int round) const
    {
        return x.u[d_du[round]] * x.v[d_dv[round]];
    }
    //! Where the owned cell is in [v][u][polarisation], counted in shares; a kernel may reach
    //! over the edges.
    __device__ unsigned index(const separable_work& w, int round) const
    {
        const int u = d_u[round] - (d_u[round] >= int(w.cells_u) ? int(w.cells_u) : 0);
        const int v = d_v[round] - (d_v[round] >= int(w.cells_v) ? int(w.cells_v) : 0);
        return (unsigned(v) * w.cells_u + unsigned(u)) * shares + unsigned(share());
    }

private:
    __device__ static int own_u(int round) { return task(round) / shares % Support; }
    __device__ static int own_v(int round)
    {
        return task(round) / shares / Support % Support;
    }
    //! How far behind a first cell the owned one is.
    __device__ static int behind(int own, int from)
    {
        const int n = own - from % Support;
        return n < 0 ? n + Support : n;
    }

    int d_u[rounds] = {}, d_v[rounds] = {}, d_du[rounds] = {}, d_dv[rounds] = {};
};

/*!
 * Calls, for 32 visibilities of a warp at a time:
 *   take(k, there): in each lane; prepares visibility k, if there is one, in a row. Returns
 *                   the number of the row, or -1;
 *   move(row): in all lanes, before a visibility with other cells or another interval;
 *   each(row): in all lanes, for one visibility after the other;
 *   give(number): in each lane, for what `take` returned.
 */
template <class Take, class Move, class Each, class Give>
__device__ inline void for_each_visibility(const separable_work& w,
                                           prepared* rows,
                                           const Take& take,
                                           const Move& move,
                                           const Each& each,
                                           const Give& give)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::size_t begin = (std::size_t(blockIdx.x) * warps + warp) * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    int u = -1, v = -1, interval = -1; // of the last visibility
    for (std::size_t from = begin; from < end; from += 32) {
        __syncwarp();
        const int number = take(from + lane, from + lane < end);
        const int count = __popc(__ballot_sync(all_lanes, number >= 0));
        __syncwarp();
        bool moves = false;
        if (lane < count) {
            const prepared& x = rows[lane];
            moves = x.from_u != (lane ? rows[lane - 1].from_u : u) ||
                    x.from_v != (lane ? rows[lane - 1].from_v : v) ||
                    x.interval != (lane ? rows[lane - 1].interval : interval);
        }
        const unsigned all_moves = __ballot_sync(all_lanes, moves);
        for (int n = 0; n < count;) {
            if (all_moves >> n & 1) {
                move(rows[n]);
            }
            const unsigned later = all_moves & ~((2u << n) - 1);
            const int next = later ? __ffs(int(later)) - 1 : count;
#pragma unroll 2
            for (; n < next; n++) {
                each(rows[n]);
            }
        }
        if (count > 0) {
            u = rows[count - 1].from_u;
            v = rows[count - 1].from_v;
            interval = rows[count - 1].interval;
        }
        give(number);
    }
}

__device__ inline float2 phase(float turns)
{
    float2 p;
    sincospif(2 * turns, &p.y, &p.x);
    return p;
}

//! Calls f(std::integral_constant<int, support>(), <int, polarisations>(), <int, terms>()).
template <class F>
void by_shape(const separable_work& w, const F& f)
{
    const auto with_polarisations = [&](auto support, auto polarisations) {
        switch (w.terms) {
        case 1:
            return f(support, polarisations, std::integral_constant<int, 1>());
        case 2:
            return f(support, polarisations, std::integral_constant<int, 2>());
        case 3:
            return f(support, polarisations, std::integral_constant<int, 3>());
        default:
            return f(support, polarisations, std::integral_constant<int, 4>());
        }
    };
    const auto with_support = [&](auto support) {
        if (w.polarisations == 4) {
            with_polarisations(support, std::integral_constant<int, 4>());
        } else {
            with_polarisations(support, std::integral_constant<int, 1>());
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

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_SEPARABLE_CUH */
