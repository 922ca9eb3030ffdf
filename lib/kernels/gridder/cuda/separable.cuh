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

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Gridding by the separable kernel. A warp takes visibilities one after the other, and its
 * lanes share the cells around each as in Romein's gridder (2012): a lane owns the cells, and
 * planes in w, whose numbers leave the same remainders when they are divided by the support.
 * Of these one is always within the kernel. Its sum is in registers, and is added to memory
 * when the kernel has moved on. 24 lanes compute the kernel's values along u, v and w, a
 * polynomial each.
 */
struct separable_work {
    double nu, nv, per_nu, per_nv, u_cells, v_cells, half; //!< half: of the support
    double first_w, planes_per_w, middle;
    unsigned cells_u, cells_v, support;
    bool deep;               //!< there are planes in w
    int first_plane, planes; //!< that are in memory
    bool adds;               //!< degridding adds to what is there
    unsigned polarisations, channels;
    std::size_t count,
        chunk; //!< visibilities of a polarisation; of them that a warp does
    const double* uvw;
    const double* waves; //!< per metre, [channel]
    float terms[spread_kernel::max_terms][spread_kernel::lanes];
};

namespace separable {

constexpr int warps = 4; //!< of a block

//! A visibility, in shared memory.
template <int Polarisations>
struct __align__(16) staged_visibility
{
    float2 value[Polarisations == 1 ? 2 : Polarisations];
    int u, v, plane;            // first of the cells and planes
    int u_rest, v_rest, w_rest; // remainders of their divisions by the support
    float z[3];                 // places within the first cell, along u, v and w
    int unused;
};

//! The visibility of a lane.
struct place {
    std::size_t at; // in [row][channel]
    bool used, conjugate;
    float turns; // of the phase of the middle of n - 1
};

//! Fills in all but the values.
template <int Support, bool Deep, class Staged>
__device__ inline place find(const separable_work& w, std::size_t k, Staged& to)
{
    const std::size_t row = k / w.channels;
    unsigned channel = unsigned(k - row * w.channels);
    // There and back, so that neighbours in this order are neighbours on the grid.
    channel = row % 2 ? w.channels - 1 - channel : channel;
    place x;
    x.at = row * w.channels + channel;
    const double* const b = w.uvw + 3 * row;
    const double c = b[2] * w.waves[channel];
    x.conjugate = Deep && c < 0;
    const double side = x.conjugate ? -1 : 1;
    const double u = side * b[0] * w.waves[channel] * w.u_cells;
    const double v = side * b[1] * w.waves[channel] * w.v_cells;
    const double deep = side * c;
    x.used = isfinite(u) && isfinite(v) && isfinite(deep);
    if (!x.used) {
        return x;
    }
    const double from_u = ceil(u - w.nu * floor(u * w.per_nu) - w.half);
    const double from_v = ceil(v - w.nv * floor(v * w.per_nv) - w.half);
    to.z[0] = float(2 * (from_u - (u - w.nu * floor(u * w.per_nu)) + w.half) - 1);
    to.z[1] = float(2 * (from_v - (v - w.nv * floor(v * w.per_nv)) + w.half) - 1);
    to.u = int(from_u) + (from_u < 0 ? int(w.cells_u) : 0);
    to.v = int(from_v) + (from_v < 0 ? int(w.cells_v) : 0);
    to.u_rest = to.u % Support;
    to.v_rest = to.v % Support;
    const double phase = -deep * w.middle;
    x.turns = float(phase - floor(phase + 0.5));
    to.plane = 0;
    to.w_rest = 0;
    to.z[2] = 0;
    if (Deep) {
        const double p = (deep - w.first_w) * w.planes_per_w;
        const double from = fmax(ceil(p - w.half), 0.0);
        to.z[2] = float(2 * (from - p + w.half) - 1);
        to.plane = int(from);
        to.w_rest = to.plane % Support;
        x.used =
            to.plane + Support > w.first_plane && to.plane < w.first_plane + w.planes;
    }
    return x;
}

//! Of a lane: a value of the kernel along u, v or w, of eight lanes each.
template <int Support>
class lane_kernel
{
public:
    __device__ explicit lane_kernel(const separable_work& w)
        : d_axis(threadIdx.x % 32 / 8 % 3)
    {
        const int cell = threadIdx.x % 8;
#pragma unroll
        for (int d = 0; d < terms; d++) {
            d_terms[d] = w.terms[d][cell];
        }
    }
    template <class Staged>
    __device__ float value(const Staged& of) const
    {
        const float z = of.z[d_axis];
        float sum = d_terms[terms - 1];
#pragma unroll
        for (int d = terms - 2; d >= 0; d--) {
            sum = sum * z + d_terms[d];
        }
        return sum;
    }

private:
    static constexpr int terms = Support + 4;
    const int d_axis;
    float d_terms[terms];
};

//! The cells that a lane owns: in each of some rounds one, and polarisations of it. Small
//! kernels have so few cells that two lanes share one.
template <int Support, int Polarisations>
struct owned {
    static constexpr int shares = Polarisations == 4 && Support <= 4 ? 2 : 1;
    static constexpr int parts = 2 * Polarisations / shares; // real numbers of a share
    static constexpr int tasks = Support * Support * shares;
    static constexpr int rounds = (tasks + 31) / 32;

    __device__ static int task(int round) { return int(threadIdx.x % 32) + 32 * round; }
    __device__ static bool there(int round) { return task(round) < tasks; }
    __device__ static int share() { return int(threadIdx.x) % shares; }
    __device__ static int u(int round) { return task(round) / shares % Support; }
    __device__ static int v(int round) { return task(round) / shares / Support; }
    //! How far behind a first cell with this remainder the owned one is.
    __device__ static int behind(int own, int rest)
    {
        const int n = own - rest;
        return n < 0 ? n + Support : n;
    }
};

//! Where a cell is in memory: [plane][v][u][polarisation]; a kernel may reach over the edges.
template <int Polarisations>
__device__ inline std::size_t cell_index(const separable_work& w, int plane, int u, int v)
{
    u -= u >= int(w.cells_u) ? int(w.cells_u) : 0;
    v -= v >= int(w.cells_v) ? int(w.cells_v) : 0;
    const std::size_t cell =
        (std::size_t(plane - w.first_plane) * w.cells_v + v) * w.cells_u + u;
    return cell * Polarisations;
}

__device__ inline float2 phase(float turns)
{
    float2 p;
    sincospif(2 * turns, &p.y, &p.x);
    return p;
}

//! Calls f(std::integral_constant<int, support>(), <int, polarisations>(), <bool, deep>()).
template <class F>
void by_shape(const separable_work& w, const F& f)
{
    const auto with_support = [&](auto support) {
        const auto with_polarisations = [&](auto polarisations) {
            if (w.deep) {
                f(support, polarisations, std::true_type());
            } else {
                f(support, polarisations, std::false_type());
            }
        };
        if (w.polarisations == 4) {
            with_polarisations(std::integral_constant<int, 4>());
        } else {
            with_polarisations(std::integral_constant<int, 1>());
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
