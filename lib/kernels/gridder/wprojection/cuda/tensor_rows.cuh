/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ROWS_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ROWS_CUH

#include "kernels/gridder/wprojection/cuda/tensor_arithmetic.cuh"

namespace gr::fringe::kernels {

/*!
 * Tables of halves, [plane][fraction][entry]. u holds kernels k, complex. An entry of v is two
 * complex numbers, (re, -im) and (im, re): rows of the real matrix that multiplies by k. Where
 * kernels are interpolated, v holds k, complex, as u does.
 */
struct tensor_tables {
    const __half2* u;
    const __half2* v;
};

namespace tensor {

//! Parabolas through neighboring entries of a table, of one visibility.
struct parabolas {
    float u[3], v[3], w[3];
};

//! Words of a row of shared memory of which four rows of eight words are in different banks.
FRINGE_HOST_DEVICE constexpr int eights(int words)
{
    return (words + 7) / 8 % 2 ? (words + 7) / 8 * 8 : (words + 7) / 8 * 8 + 8;
}
//! The same of eight rows of four words.
FRINGE_HOST_DEVICE constexpr int fours(int words)
{
    return (words + 3) / 4 % 2 ? (words + 3) / 4 * 4 : (words + 3) / 4 * 4 + 4;
}

//! Four entries of a kernel along one axis from `entry` on, by parabolas through neighboring
//! fractions and planes.
__device__ inline void interpolate(const w_geometry& g,
                                   const __half2* entry,
                                   const float* along,
                                   const float* across,
                                   __half2 (&four)[4])
{
    const int line = int(g.support), plane = int(g.fractions()) * line;
    const int planes = int(g.plane_taps()) / 2;
    float2 sum[4] = {};
    for (int p = -planes; p <= planes; p++) {
        const float a = planes > 0 ? across[p + 1] : 1;
#pragma unroll
        for (int j = -1; j <= 1; j++) {
            const float by = a * along[j + 1];
            const uint4 x =
                __ldg(reinterpret_cast<const uint4*>(entry + p * plane + j * line));
            const unsigned words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
            for (int n = 0; n < 4; n++) {
                const float2 pair = __half22float2(halves(words[n]));
                sum[n].x += by * pair.x;
                sum[n].y += by * pair.y;
            }
        }
    }
#pragma unroll
    for (int n = 0; n < 4; n++) {
        four[n] = __floats2half2_rn(sum[n].x, sum[n].y);
    }
}

/*!
 * Kernels in shared memory: rows of entries along u and along v between zeros. They are either
 * all fractions of two planes, which visibilities share until they leave these planes, or the
 * interpolated kernels of 16 visibilities. A tile, Columns wide and Lines high, may begin up to
 * Slack entries before a kernel, and meets zeros beside it.
 */
template <int Support, int Slack, int Columns, int Lines, int Threads>
class kernel_rows
{
public:
    static constexpr int rows = 16, fractions = w_geometry::oversampling;
    static constexpr int u_row = fours(Columns), v_row = eights(2 * Lines);
    static_assert(Columns >= Support + Slack && Lines >= Support + Slack,
                  "the tile is too small");
    __align__(16) unsigned u[rows * u_row + Slack];
    __align__(16) unsigned v[rows * v_row + 2 * Slack];

    __device__ void clear()
    {
        for (int n = threadIdx.x; n < rows * u_row + Slack; n += Threads) {
            u[n] = 0;
        }
        for (int n = threadIdx.x; n < rows * v_row + 2 * Slack; n += Threads) {
            v[n] = 0;
        }
    }
    //! Row of a fraction of a plane: even planes have the first eight rows, odd ones the rest.
    __device__ static unsigned row_of(unsigned plane, unsigned fraction)
    {
        return plane % 2 * fractions + fraction;
    }
    //! Brings a plane of the tables into its rows.
    __device__ void load(const tensor_tables& tables, unsigned plane)
    {
        // An entry of u has 4 bytes, one of v 8; they come 16 bytes at a time.
        constexpr int u_pieces = Support / 4, v_pieces = Support / 2;
        const int first = int(row_of(plane, 0));
        const auto from_u = reinterpret_cast<const uint4*>(tables.u) +
                            std::size_t(plane) * (fractions * u_pieces);
        const auto from_v = reinterpret_cast<const uint4*>(tables.v) +
                            std::size_t(plane) * (fractions * v_pieces);
#pragma unroll 4
        for (int n = threadIdx.x; n < fractions * u_pieces; n += Threads) {
            const int row = first + n / u_pieces, d = n % u_pieces;
            *reinterpret_cast<uint4*>(u + row * u_row + Slack + 4 * d) =
                __ldg(from_u + n);
        }
#pragma unroll 4
        for (int n = threadIdx.x; n < fractions * v_pieces; n += Threads) {
            const int row = first + n / v_pieces, d = n % v_pieces;
            *reinterpret_cast<uint4*>(v + row * v_row + 2 * Slack + 4 * d) =
                __ldg(from_v + n);
        }
    }
    //! Interpolates the kernels of 16 visibilities, of which `lines` and `weights` are.
    __device__ void interpolate_all(const w_geometry& g,
                                    const tensor_tables& tables,
                                    const uint2* lines,
                                    const parabolas* weights)
    {
        constexpr int pieces = Support / 4;
        for (int n = threadIdx.x; n < rows * pieces; n += Threads) {
            const int k = n / pieces, d = 4 * (n % pieces);
            const parabolas& by = weights[k];
            __half2 four[4];
            interpolate(g, tables.u + lines[k].x * Support + d, by.u, by.w, four);
            *reinterpret_cast<uint4*>(u + k * u_row + Slack + d) =
                make_uint4(word(four[0]), word(four[1]), word(four[2]), word(four[3]));
            interpolate(g, tables.v + lines[k].y * Support + d, by.v, by.w, four);
            uint4* const to = reinterpret_cast<uint4*>(v + k * v_row + 2 * (Slack + d));
            to[0] = two_entries(four[0], four[1]);
            to[1] = two_entries(four[2], four[3]);
        }
    }

private:
    __device__ static uint4 two_entries(__half2 a, __half2 b)
    {
        const auto conjugate = [](__half2 x) {
            return word(__halves2half2(__low2half(x), __hneg(__high2half(x))));
        };
        return make_uint4(conjugate(a),
                          word(__lowhigh2highlow(a)),
                          conjugate(b),
                          word(__lowhigh2highlow(b)));
    }
};

} // namespace tensor
} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_ROWS_CUH */
