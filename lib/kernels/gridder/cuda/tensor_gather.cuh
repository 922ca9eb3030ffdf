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
    static constexpr int warps = 2, cells = 8, parts = 1, resident = 10;
};
template <>
struct gather_shape<16> {
    static constexpr int warps = 4, cells = 6, parts = 1, resident = 4;
};
template <>
struct gather_shape<32> {
    static constexpr int warps = 4, cells = 10, parts = 1, resident = 3;
};
template <>
struct gather_shape<64> {
    static constexpr int warps = 12, cells = 6, parts = 1, resident = 1;
};
template <>
struct gather_shape<128> {
    static constexpr int warps = 12, cells = 3, parts = 4, resident = 1; // parts along u
};

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile along u, whose sums are
//! added up in memory: there values are 0 beforehand.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * gather_shape<Support>::warps,
                                  gather_shape<Support>::resident)
    tensor_gather_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* grid,
                         float2* values)
{
    using s = gather_shape<Support>;
    using namespace tensor;
    constexpr int slack = 8;
    constexpr int threads = 32 * s::warps, steps = (Support + slack) / 8;
    constexpr int columns = s::cells * s::warps; // of a part of the tile
    constexpr int batch = threads < 128 ? threads : 128;
    constexpr int a_row = fours(Support + 2 * slack),
                  b_row = fours(columns * s::parts + slack);
    __shared__ __align__(16) unsigned a_shared[some][a_row];
    __shared__ __align__(16) unsigned b_shared[some][b_row];
    __shared__ float2 sums[s::warps][some][polarisations];
    __shared__ batch_places<Support, batch, Interpolate> places;
    __shared__ float2 phases[batch];
    __shared__ bool conjugate[batch];
    __shared__ std::size_t index[batch];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int first_column = blockIdx.y * columns + warp * s::cells;
    const int nu = int(w.g.nu), nv = int(w.g.nv);
    for (int n = threadIdx.x; n < some * a_row; n += threads) {
        a_shared[0][n] = 0;
    }
    for (int n = threadIdx.x; n < some * b_row; n += threads) {
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
#pragma unroll 1
        for (int i = 0; i < s::cells; i++) {
#pragma unroll 4
            for (int j = 0; j < 2 * steps; j++) {
                const float2 x = point(i, 4 * j + t);
                most = fmaxf(most, fmaxf(fabsf(x.x), fabsf(x.y)));
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
        }
        scale = exp2f(ceilf(log2f(most))); // of a warp
        const float by = 1 / scale;
#pragma unroll
        for (int i = 0; i < s::cells; i++) {
#pragma unroll
            for (int j = 0; j < 2 * steps; j++) {
                float2 x = point(i, 4 * j + t);
                x.x *= by;
                x.y *= by;
                tile[i][j / 2][j % 2] = word(g % 2 ? __floats2half2_rn(x.y, -x.x)
                                                   : __floats2half2_rn(x.x, x.y));
            }
            // No more loads at a time than there are registers for.
            asm volatile("" ::: "memory");
        }
    };

    const std::size_t begin = blockIdx.x * w.chunk;
    const unsigned count =
        unsigned(begin + w.chunk < w.count ? w.chunk : w.count - begin);
    const chunk_rows order(w, begin);
    for (unsigned from = 0; from < count; from += batch) {
        const int now = int(count - from < batch ? count - from : batch);
        arrive<s::warps>();
        if (int(threadIdx.x) < now) {
            const int k = threadIdx.x;
            std::size_t row;
            unsigned channel;
            index[k] = order.at(from + k, row, channel);
            const w_place x = place_of(w, row, channel);
            places.put(w.g, k, x);
            phases[k] = phase_of(x);
            conjugate[k] = x.conjugate;
        }
        arrive<s::warps>();
        for (int block = 0; block < now; block += some) {
            const int ready = min(now - block, some);
            const int2 cell = places.first[block + min(lane, ready - 1)];
            places.template stage_v<0, Support, threads>(
                w.g, tables, block, ready, &a_shared[0][slack], a_row);
            places.template stage_u<0, Support, threads>(
                w.g, tables, block, ready, &b_shared[0][slack], b_row);
            arrive<s::warps>();
            for (int start = 0, stop; start < ready; start = stop) {
                int new_u, new_v;
                if (next_piece(slack,
                               start,
                               ready,
                               cell.x,
                               cell.y,
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
                // Where the lane's kernels begin in the tile; -1: it is not of this piece.
                const int offsets =
                    lane >= start && lane < stop
                        ? (slack + tile_v - cell.y) << 16 | (slack + tile_u - cell.x)
                        : -1;
                for (int q = start / 16; 16 * q < stop; q++) {
                    const int k0 = 16 * q + g, k1 = k0 + 8;
                    const int o0 = __shfl_sync(~0u, offsets, k0);
                    const int o1 = __shfl_sync(~0u, offsets, k1);
                    const int at0 = max(o0, 0), at1 = max(o1, 0);
                    const unsigned* const kv0 = &a_shared[k0][t + (at0 >> 16)];
                    const unsigned* const kv1 = &a_shared[k1][t + (at1 >> 16)];
                    const unsigned* const ku0 =
                        &b_shared[k0][first_column + (at0 & 0xffff)];
                    const unsigned* const ku1 =
                        &b_shared[k1][first_column + (at1 & 0xffff)];
                    float2 sum0 = make_float2(0, 0), sum1 = sum0;
                    const auto add = [&](int i, const float(&c)[4]) {
                        const float2 x0 = __half22float2(halves(ku0[i]));
                        const float2 x1 = __half22float2(halves(ku1[i]));
                        sum0.x += x0.x * c[0] - x0.y * c[1];
                        sum0.y += x0.x * c[1] + x0.y * c[0];
                        sum1.x += x1.x * c[2] - x1.y * c[3];
                        sum1.y += x1.x * c[3] + x1.y * c[2];
                    };
                    if (steps <= s::cells) { // the kernels stay in registers
                        unsigned a[steps][4];
#pragma unroll
                        for (int j = 0; j < steps; j++) {
                            a[j][0] = kv0[8 * j];
                            a[j][1] = kv1[8 * j];
                            a[j][2] = kv0[8 * j + 4];
                            a[j][3] = kv1[8 * j + 4];
                        }
#pragma unroll
                        for (int i = 0; i < s::cells; i++) {
                            float c[4] = {};
#pragma unroll
                            for (int j = 0; j < steps; j++) {
                                multiply_add(c, a[j], tile[i][j][0], tile[i][j][1]);
                            }
                            add(i, c);
                        }
                    } else { // the sums do
                        float c[s::cells][4] = {};
#pragma unroll
                        for (int j = 0; j < steps; j++) {
                            const unsigned a[4] = {
                                kv0[8 * j], kv1[8 * j], kv0[8 * j + 4], kv1[8 * j + 4]};
#pragma unroll
                            for (int i = 0; i < s::cells; i++) {
                                multiply_add(c[i], a, tile[i][j][0], tile[i][j][1]);
                            }
                        }
#pragma unroll
                        for (int i = 0; i < s::cells; i++) {
                            add(i, c[i]);
                        }
                    }
                    if (o0 >= 0) {
                        sums[warp][k0][t] = make_float2(sum0.x * scale, sum0.y * scale);
                    }
                    if (o1 >= 0) {
                        sums[warp][k1][t] = make_float2(sum1.x * scale, sum1.y * scale);
                    }
                }
            }
            arrive<s::warps>();
            for (int n = threadIdx.x; n < ready * polarisations; n += threads) {
                const int k = n / polarisations, p = n % polarisations;
                float2 sum = sums[0][k][p];
#pragma unroll
                for (int other = 1; other < s::warps; other++) {
                    sum.x += sums[other][k][p].x;
                    sum.y += sums[other][k][p].y;
                }
                float2 value = kernels::times(sum, phases[block + k]);
                value.y = conjugate[block + k] ? -value.y : value.y;
                float2* const to = values + index[block + k] * polarisations + p;
                if (s::parts == 1) {
                    *to = value;
                } else {
                    atomicAdd(&to->x, value.x);
                    atomicAdd(&to->y, value.y);
                }
            }
        }
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_GATHER_CUH */
