/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_SPREAD_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_SPREAD_CUH

#include "kernels/gridder/cuda/tensor_staging.cuh"
#include <type_traits>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Gridding by separable kernels as a product of matrices. A run of visibilities whose first
 * cells differ by no more than `slack` stays in one tile of the grid, Support + slack cells
 * wide, which is in registers:
 *
 *     tile[u, polarisation][v] += sum over visibilities of (V[polarisation] ku[u]) kv[v]
 *
 * With real and imaginary parts apart, a row of the left matrix holds (Re, Im) or (Im, -Re) of
 * V ku for each visibility, and a column of the right one (Re kv, -Im kv). A multiplication of
 * tensor cores, 16 x 16 by 16 x 8, takes two cells along u with 4 polarisations, 8
 * visibilities and 8 lines of the tile. Each warp has some pairs of cells along u. When a run
 * ends, the tile is added to memory.
 */
template <int Support>
struct tensor_shape;
template <>
struct tensor_shape<8> {
    static constexpr int warps = 2, pairs = 4, blocks = 2, parts_u = 1, parts_v = 1;
    static constexpr int slack = 8, resident = 8;
};
template <>
struct tensor_shape<16> {
    static constexpr int warps = 2, pairs = 6, blocks = 3, parts_u = 1, parts_v = 1;
    static constexpr int slack = 8, resident = 7;
};
template <>
struct tensor_shape<32> {
    static constexpr int warps = 4, pairs = 5, blocks = 5, parts_u = 1, parts_v = 1;
    static constexpr int slack = 8, resident = 3;
};
template <>
struct tensor_shape<64> {
    static constexpr int warps = 12, pairs = 3, blocks = 9, parts_u = 1, parts_v = 1;
    static constexpr int slack = 8, resident = 1;
};
template <>
struct tensor_shape<128> {
    static constexpr int warps = 12, pairs = 3, blocks = 9, parts_u = 2, parts_v = 2;
    static constexpr int slack = 16, resident = 1;
};

namespace tensor {

__device__ inline void
multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

//! The product of k and the value whose parts are in `straight` (re, im) and `turned`
//! (-im, re).
__device__ inline unsigned times(unsigned k, uint2 value)
{
    const __half2 kernel = halves(k);
    return word(__hfma2(__low2half2(kernel),
                        halves(value.x),
                        __hmul2(__high2half2(kernel), halves(value.y))));
}

//! Calls f(std::integral_constant<int, part>()).
template <int Parts, class F>
__device__ inline void for_part(int part, const F& f)
{
    if (Parts == 1 || part == 0) {
        f(std::integral_constant<int, 0>());
    } else if (Parts == 2 || part == 1) {
        f(std::integral_constant<int, (Parts > 1 ? 1 : 0)>());
    } else {
        f(std::integral_constant<int, (Parts > 2 ? 2 : 0)>());
    }
}

} // namespace tensor

//! Entries of a kernel that a part of a tile, from line or column `first` on, `count` wide, can
//! meet.
FRINGE_HOST_DEVICE constexpr int entries_from(int first, int slack)
{
    return first > slack ? first - slack : 0;
}
FRINGE_HOST_DEVICE constexpr int entries_end(int first, int count, int support)
{
    return first + count < support ? first + count : support;
}

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * tensor_shape<Support>::warps,
                                  tensor_shape<Support>::resident)
    tensor_spread_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* values,
                         float2* grid)
{
    using s = tensor_shape<Support>;
    using namespace tensor;
    constexpr int threads = 32 * s::warps;
    constexpr int lines = 8 * s::blocks, columns = 2 * s::pairs * s::warps; // of a part
    constexpr int slack = s::slack;
    static_assert(lines * s::parts_v >= Support + slack, "the tile is too short");
    static_assert(columns * s::parts_u >= Support + slack, "the tile is too narrow");
    // Visibilities that are placed at a time.
    constexpr int batch = threads < 128 ? threads : 128;
    constexpr int a_row = columns + slack + 4, b_row = eights(lines + slack),
                  value_row = 24;
    // Kernels along u and along v, behind `slack` zeros, and values.
    __shared__ __align__(16) unsigned a_shared[some][a_row];
    __shared__ __align__(16) unsigned b_shared[some][b_row];
    __shared__ __align__(16) unsigned value_shared[batch][value_row];
    __shared__ batch_places<Support, batch, Interpolate> places;
    __shared__ float largest[s::warps];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int part_u = s::parts_u > 1 ? int(blockIdx.y) % s::parts_u : 0;
    const int part_v = s::parts_v > 1 ? int(blockIdx.y) / s::parts_u : 0;
    const int first_column = part_u * columns + warp * 2 * s::pairs;
    const int first_line = part_v * lines;
    float sums[s::pairs][s::blocks][4];
    unsigned updates = 0;
    float scale = 0; // of values: a power of two that brings them to at most 1
    const auto multiply_sums = [&](float by) {
#pragma unroll
        for (int i = 0; i < s::pairs; i++) {
#pragma unroll
            for (int j = 0; j < s::blocks; j++) {
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    sums[i][j][n] = by == 0 ? 0 : sums[i][j][n] * by;
                }
            }
        }
    };
    multiply_sums(0);
    for (int n = threadIdx.x; n < some * a_row; n += threads) {
        a_shared[0][n] = 0;
    }
    for (int n = threadIdx.x; n < some * b_row; n += threads) {
        b_shared[0][n] = 0;
    }

    int tile_u = 0, tile_v = 0;
    bool any = false; // whether the tile holds something
    const auto flush = [&] {
        const int nu = int(w.g.nu), nv = int(w.g.nv);
        const bool high = g & 2, odd = g & 1;
#pragma unroll
        for (int i = 0; i < s::pairs; i++) {
            int u = tile_u + first_column + 2 * i + (high ? 1 : 0);
            u += u < 0 ? nu : 0;
            u -= u >= nu ? nu : 0;
#pragma unroll
            for (int j = 0; j < s::blocks; j++) {
                // Four lanes put the parts of two polarisations together, each for one cell.
                const float(&c)[4] = sums[i][j];
                const float x0 = __shfl_xor_sync(~0u, high ? c[0] : c[2], 8);
                const float x1 = __shfl_xor_sync(~0u, high ? c[1] : c[3], 8);
                const float low0 = high ? x0 : c[0], low1 = high ? x1 : c[1];
                const float high0 = high ? c[2] : x0, high1 = high ? c[3] : x1;
                const float y0 = __shfl_xor_sync(~0u, odd ? low0 : low1, 4);
                const float y1 = __shfl_xor_sync(~0u, odd ? high0 : high1, 4);
                float4 four = odd ? make_float4(y0, low1, y1, high1)
                                  : make_float4(low0, y0, high0, y1);
                if (four.x != 0 || four.y != 0 || four.z != 0 || four.w != 0) {
                    four.x *= scale;
                    four.y *= scale;
                    four.z *= scale;
                    four.w *= scale;
                    int v = tile_v + first_line + 8 * j + 2 * t + (odd ? 1 : 0);
                    v += v < 0 ? nv : 0;
                    v -= v >= nv ? nv : 0;
                    float2* const cell =
                        grid + (std::size_t(v) * nu + u) * polarisations + g / 4 * 2;
#if __CUDA_ARCH__ >= 900
                    atomicAdd(reinterpret_cast<float4*>(cell), four);
#else
                    atomicAdd(&cell[0].x, four.x);
                    atomicAdd(&cell[0].y, four.y);
                    atomicAdd(&cell[1].x, four.z);
                    atomicAdd(&cell[1].y, four.w);
#endif
                    updates += g < 4;
                }
            }
        }
        multiply_sums(0);
    };

    const std::size_t begin = blockIdx.x * w.chunk;
    const unsigned count =
        unsigned(begin + w.chunk < w.count ? w.chunk : w.count - begin);
    const chunk_rows order(w, begin);
    for (unsigned from = 0; from < count; from += batch) {
        const int now = int(count - from < batch ? count - from : batch);
        const bool here = int(threadIdx.x) < now;
        float2 value[polarisations];
        float most = 0;
        w_place place;
        if (here) {
            std::size_t row;
            unsigned channel;
            const std::size_t at = order.at(from + threadIdx.x, row, channel);
            const auto pairs =
                reinterpret_cast<const float4*>(values + at * polarisations);
            const float4 x = pairs[0], y = pairs[1];
            value[0] = make_float2(x.x, x.y);
            value[1] = make_float2(x.z, x.w);
            value[2] = make_float2(y.x, y.y);
            value[3] = make_float2(y.z, y.w);
            place = place_of(w, row, channel);
#pragma unroll
            for (int p = 0; p < polarisations; p++) {
                most = fmaxf(most, fmaxf(fabsf(value[p].x), fabsf(value[p].y)));
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
        }
        if (s::warps > 1 && lane == 0) {
            largest[warp] = most;
        }
        arrive<s::warps>(); // and shared memory is free
        if (s::warps > 1) {
            for (int n = 0; n < s::warps && 32 * n < batch; n++) {
                most = fmaxf(most, largest[n]);
            }
        }
        if (most > scale) {
            // The tile goes on with the larger scale.
            const float larger = exp2f(ceilf(log2f(fmaxf(most, 1e-30f))));
            multiply_sums(scale / larger);
            scale = larger;
        }
        if (here) {
            const int k = threadIdx.x;
            places.put(w.g, k, place);
            const float2 phase = phase_of(place);
            const float by = scale > 0 ? 1 / scale : 0; // a power of two
            const float by_imaginary = place.conjugate ? -by : by;
#pragma unroll
            for (int p = 0; p < polarisations; p++) {
                const float2 x = kernels::times(
                    make_float2(value[p].x * by, value[p].y * by_imaginary), phase);
                // For the real part of the tile (re, im), for the imaginary one (im, -re).
                *reinterpret_cast<uint4*>(&value_shared[k][4 * p]) =
                    make_uint4(word(__floats2half2_rn(x.x, x.y)),
                               word(__floats2half2_rn(-x.y, x.x)),
                               word(__floats2half2_rn(x.y, -x.x)),
                               word(__floats2half2_rn(x.x, x.y)));
            }
        }
        arrive<s::warps>();
        for (int block = 0; block < now; block += some) {
            const int ready = min(now - block, some);
            const int2 cell = places.first[block + min(lane, ready - 1)];
            if (block > 0) {
                arrive<s::warps>();
            }
            for_part<s::parts_u>(part_u, [&](auto part) {
                constexpr int at = decltype(part)::value * columns;
                constexpr int from_entry = entries_from(at, slack);
                constexpr int end_entry = entries_end(at, columns, Support);
                places.template stage_u<from_entry, end_entry, threads>(
                    w.g,
                    tables,
                    block,
                    ready,
                    &a_shared[0][slack + from_entry - at],
                    a_row);
            });
            for_part<s::parts_v>(part_v, [&](auto part) {
                constexpr int at = decltype(part)::value * lines;
                constexpr int from_entry = entries_from(at, slack);
                constexpr int end_entry = entries_end(at, lines, Support);
                places.template stage_v<from_entry, end_entry, threads>(
                    w.g,
                    tables,
                    block,
                    ready,
                    &b_shared[0][slack + from_entry - at],
                    b_row);
            });
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
                    if (any) {
                        flush();
                    }
                    tile_u = new_u;
                    tile_v = new_v;
                    any = true;
                }
                // Where the lane's kernels begin in the tile; -1: it is not of this piece.
                const int offsets =
                    lane >= start && lane < stop
                        ? (slack + tile_v - cell.y) << 16 | (slack + tile_u - cell.x)
                        : -1;
                for (int q = start / 8; 8 * q < stop; q++) {
                    const int k0 = 8 * q + t, k1 = k0 + 4;
                    const int o0 = __shfl_sync(~0u, offsets, k0);
                    const int o1 = __shfl_sync(~0u, offsets, k1);
                    uint2 value0 = make_uint2(0, 0), value1 = make_uint2(0, 0);
                    if (o0 >= 0) {
                        value0 = *reinterpret_cast<const uint2*>(
                            &value_shared[block + k0][2 * g]);
                    }
                    if (o1 >= 0) {
                        value1 = *reinterpret_cast<const uint2*>(
                            &value_shared[block + k1][2 * g]);
                    }
                    const int at0 = max(o0, 0), at1 = max(o1, 0);
                    const unsigned* const ku0 =
                        &a_shared[k0][warp * 2 * s::pairs + (at0 & 0xffff)];
                    const unsigned* const ku1 =
                        &a_shared[k1][warp * 2 * s::pairs + (at1 & 0xffff)];
                    const unsigned* const kv0 = &b_shared[k0][g + (at0 >> 16)];
                    const unsigned* const kv1 = &b_shared[k1][g + (at1 >> 16)];
                    unsigned b[s::blocks][2];
#pragma unroll
                    for (int j = 0; j < s::blocks; j++) {
                        b[j][0] = kv0[8 * j];
                        b[j][1] = kv1[8 * j];
                    }
#pragma unroll
                    for (int i = 0; i < s::pairs; i++) {
                        const unsigned a[4] = {tensor::times(ku0[2 * i], value0),
                                               tensor::times(ku0[2 * i + 1], value0),
                                               tensor::times(ku1[2 * i], value1),
                                               tensor::times(ku1[2 * i + 1], value1)};
#pragma unroll
                        for (int j = 0; j < s::blocks; j++) {
                            multiply_add(sums[i][j], a, b[j][0], b[j][1]);
                        }
                    }
                }
            }
        }
    }
    if (any) {
        flush();
    }
    if (w.updates) {
        atomicAdd(w.updates, static_cast<unsigned long long>(updates));
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_SPREAD_CUH */
