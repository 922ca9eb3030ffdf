/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_GATHER_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_GATHER_CUH

#include "kernels/gridder/cuda/tensor_spread.cuh"

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * The reverse of tensor_spread_kernel: a tile of the grid is in registers as halves, and
 *
 *     V[polarisation] = sum over u of ku[u] (sum over v of kv[v] tile[v][u, polarisation]).
 *
 * The inner sum is a product of matrices: 16 visibilities by 8 lines of the tile by one cell
 * with 4 polarisations in one multiplication. The outer one is left to the threads, each of
 * which has two visibilities and a polarisation, and goes over the warps in shared memory.
 */
template <int Support>
struct gather_shape;
template <>
struct gather_shape<8> {
    static constexpr int warps = 2, cells = 8, parts = 1;
};
template <>
struct gather_shape<16> {
    static constexpr int warps = 4, cells = 6, parts = 1;
};
template <>
struct gather_shape<32> {
    static constexpr int warps = 4, cells = 10, parts = 1;
};
template <>
struct gather_shape<64> {
    static constexpr int warps = 12, cells = 6, parts = 1;
};
template <>
struct gather_shape<128> {
    static constexpr int warps = 12, cells = 3, parts = 4; // of the tile along u
};

namespace tensor {

//! Words of a row of shared memory of which eight begin in other banks, four words each.
FRINGE_HOST_DEVICE constexpr int apart(int width)
{
    return (width + slack + 27) / 32 * 32 + 4;
}

} // namespace tensor

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile along u, whose sums are
//! added up in memory: there values are 0 beforehand.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * gather_shape<Support>::warps)
    tensor_gather_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* grid,
                         float2* values)
{
    using s = gather_shape<Support>;
    using namespace tensor;
    constexpr int threads = 32 * s::warps, steps = (Support + slack) / 8;
    constexpr int columns = s::cells * s::warps; // of a part of the tile
    constexpr int batch = 32;
    constexpr int a_row = apart(Support + slack), b_row = apart(columns * s::parts);
    __shared__ __align__(16) unsigned a_shared[batch][a_row];
    __shared__ __align__(16) unsigned b_shared[batch][b_row];
    __shared__ float2 sums[batch][polarisations];
    __shared__ int first_u[batch], first_v[batch];
    __shared__ unsigned row_u[batch], row_v[batch]; // of the tables
    __shared__ float2 phases[batch];
    __shared__ bool conjugate[batch];
    __shared__ std::size_t index[batch];
    __shared__ staged_weights weights[Interpolate ? batch : 1];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int first_column = blockIdx.y * columns + warp * s::cells;
    const int nu = int(w.g.nu), nv = int(w.g.nv);
    for (int n = threadIdx.x; n < batch * a_row; n += threads) {
        a_shared[0][n] = 0;
    }
    for (int n = threadIdx.x; n < batch * b_row; n += threads) {
        b_shared[0][n] = 0;
    }
    unsigned tile[s::cells][steps][2];
    float scale = 1;
    int tile_u = 0, tile_v = 0;
    bool any = false;

    //! The value of the tile at line `line` of cell i, for the column of this lane.
    const auto point = [&](int i, int line) {
        int u = tile_u + first_column + i, v = tile_v + line;
        u += u < 0 ? nu : 0;
        u -= u >= nu ? nu : 0;
        v += v < 0 ? nv : 0;
        v -= v >= nv ? nv : 0;
        return grid[(std::size_t(v) * nu + u) * polarisations + g / 2];
    };
    //! Brings a tile into registers, by a power of two that brings its largest value below 1.
    const auto load = [&] {
        float most = 1e-30f;
#pragma unroll
        for (int i = 0; i < s::cells; i++) {
#pragma unroll
            for (int j = 0; j < 2 * steps; j++) {
                const float2 x = point(i, 4 * j + t);
                most = fmaxf(most, fmaxf(fabsf(x.x), fabsf(x.y)));
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
        }
        scale = exp2f(ceilf(log2f(most))); // of a warp
#pragma unroll
        for (int i = 0; i < s::cells; i++) {
#pragma unroll
            for (int j = 0; j < 2 * steps; j++) {
                float2 x = point(i, 4 * j + t);
                x.x /= scale;
                x.y /= scale;
                tile[i][j / 2][j % 2] = word(g % 2 ? __floats2half2_rn(x.y, -x.x)
                                                   : __floats2half2_rn(x.x, x.y));
            }
        }
    };

    const std::size_t begin = blockIdx.x * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += batch) {
        const int now = int(end - from < batch ? end - from : batch);
        __syncthreads();
        for (int k = threadIdx.x; k < now; k += threads) {
            std::size_t row;
            unsigned channel;
            index[k] = in_turn(w, from + k, row, channel);
            const w_place x = place_of(w, row, channel);
            first_u[k] = x.u;
            first_v[k] = x.v;
            row_u[k] = (x.plane * w.g.fractions() + x.fu) * Support;
            row_v[k] = (x.plane * w.g.fractions() + x.fv) * Support;
            phases[k] = phase_of(x);
            conjugate[k] = x.conjugate;
            if (Interpolate) {
                parabola(x.tu, weights[k].u);
                parabola(x.tv, weights[k].v);
                parabola(x.tw, weights[k].w);
            }
        }
        for (int n = threadIdx.x; n < batch * polarisations; n += threads) {
            sums[0][n] = make_float2(0, 0);
        }
        __syncthreads();
        stage_kernels<Support, Interpolate>(w,
                                            tables,
                                            now,
                                            row_u,
                                            row_v,
                                            weights,
                                            &a_shared[0][0],
                                            a_row,
                                            &b_shared[0][0],
                                            b_row);
        __syncthreads();
        for (int start = 0, stop; start < now; start = stop) {
            int new_u, new_v;
            if (next_piece(start,
                           now,
                           first_u,
                           first_v,
                           any,
                           tile_u,
                           tile_v,
                           stop,
                           new_u,
                           new_v)) {
                tile_u = new_u;
                tile_v = new_v;
                any = true;
                load();
            }
            for (int q = start / 16; 16 * q < stop; q++) {
                const int k0 = 16 * q + g, k1 = k0 + 8;
                const bool in0 = k0 >= start && k0 < stop, in1 = k1 >= start && k1 < stop;
                const int v0 = in0 ? slack + tile_v - first_v[k0] : 0;
                const int v1 = in1 ? slack + tile_v - first_v[k1] : 0;
                const int u0 = in0 ? slack + tile_u - first_u[k0] : 0;
                const int u1 = in1 ? slack + tile_u - first_u[k1] : 0;
                float c[s::cells][4] = {};
#pragma unroll
                for (int j = 0; j < steps; j++) {
                    const unsigned a[4] = {a_shared[k0][v0 + 8 * j + t],
                                           a_shared[k1][v1 + 8 * j + t],
                                           a_shared[k0][v0 + 8 * j + t + 4],
                                           a_shared[k1][v1 + 8 * j + t + 4]};
#pragma unroll
                    for (int i = 0; i < s::cells; i++) {
                        multiply_add(c[i], a, tile[i][j][0], tile[i][j][1]);
                    }
                }
                const unsigned* const ku0 = &b_shared[k0][first_column + u0];
                const unsigned* const ku1 = &b_shared[k1][first_column + u1];
                float2 sum0 = make_float2(0, 0), sum1 = sum0;
#pragma unroll
                for (int i = 0; i < s::cells; i++) {
                    const float2 x0 = __half22float2(halves(ku0[i]));
                    const float2 x1 = __half22float2(halves(ku1[i]));
                    sum0.x += x0.x * c[i][0] - x0.y * c[i][1];
                    sum0.y += x0.x * c[i][1] + x0.y * c[i][0];
                    sum1.x += x1.x * c[i][2] - x1.y * c[i][3];
                    sum1.y += x1.x * c[i][3] + x1.y * c[i][2];
                }
                if (in0) {
                    atomicAdd(&sums[k0][t].x, sum0.x * scale);
                    atomicAdd(&sums[k0][t].y, sum0.y * scale);
                }
                if (in1) {
                    atomicAdd(&sums[k1][t].x, sum1.x * scale);
                    atomicAdd(&sums[k1][t].y, sum1.y * scale);
                }
            }
        }
        __syncthreads();
        for (int n = threadIdx.x; n < now * polarisations; n += threads) {
            const int k = n / polarisations, p = n % polarisations;
            float2 value = kernels::times(sums[k][p], phases[k]);
            value.y = conjugate[k] ? -value.y : value.y;
            float2* const to = values + index[k] * polarisations + p;
            if (s::parts == 1) {
                *to = value;
            } else {
                atomicAdd(&to->x, value.x);
                atomicAdd(&to->y, value.y);
            }
        }
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_GATHER_CUH */
