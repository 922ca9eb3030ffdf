/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_SPREAD_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_TENSOR_SPREAD_CUH

#include "kernels/gridder/cuda/work.cuh"
#include <cuda_fp16.h>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * Gridding by separable kernels as a product of matrices. A run of visibilities whose first
 * cells differ by no more than `slack` stays in one tile of the grid, Support + slack cells
 * wide, which is in registers:
 *
 *     tile[v][u, polarisation] += sum over visibilities of kv[v] (V[polarisation] ku[u])
 *
 * With real and imaginary parts apart, a row of the left matrix holds (Re kv, -Im kv) of each
 * visibility, and a column of the right one (Re, Im) or (Im, -Re) of V ku. A multiplication of
 * tensor cores, 16 x 16 by 16 x 8, takes 16 lines of the tile, 8 visibilities and one cell
 * along u with 4 polarisations. Each warp has some cells along u. When a run ends, the tile is
 * added to memory.
 */
template <int Support>
struct tensor_shape;
template <>
struct tensor_shape<8> {
    static constexpr int warps = 2, cells = 8, blocks = 1, parts = 1;
};
template <>
struct tensor_shape<16> {
    static constexpr int warps = 4, cells = 6, blocks = 2, parts = 1;
};
template <>
struct tensor_shape<32> {
    static constexpr int warps = 4, cells = 10, blocks = 3, parts = 1;
};
template <>
struct tensor_shape<64> {
    static constexpr int warps = 12, cells = 6, blocks = 5, parts = 1;
};
template <>
struct tensor_shape<128> {
    static constexpr int warps = 14, cells = 10, blocks = 2, parts = 5;
};

//! Tables of halves [plane][fraction][entry], complex: along u, and conjugates along v.
struct tensor_tables {
    const __half2* u;
    const __half2* v;
    // The same in single precision, to interpolate between.
    const float2* exact_u;
    const float2* exact_v;
};

namespace tensor {

constexpr int slack = 8, polarisations = 4;
//! Visibilities of which kernels are in shared memory at a time.
constexpr int some = 32;

//! Words of a row of shared memory that holds a kernel and `slack` zeros before it, so that it
//! can be read `width` words from wherever the kernel lies; four rows begin in other banks.
FRINGE_HOST_DEVICE constexpr int padded(int width)
{
    const int words = width + slack;
    return words % 32 == 8 || words % 32 == 24 ? words : (words + 3) / 4 * 4 + 4;
}

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

__device__ inline unsigned word(__half2 h) { return *reinterpret_cast<unsigned*>(&h); }
__device__ inline __half2 halves(unsigned w) { return *reinterpret_cast<__half2*>(&w); }

//! The product of k and the value whose parts are in `straight` (re, im) and `turned`
//! (-im, re).
__device__ inline unsigned times(unsigned k, uint2 value)
{
    const __half2 kernel = halves(k);
    return word(__hfma2(__low2half2(kernel),
                        halves(value.x),
                        __hmul2(__high2half2(kernel), halves(value.y))));
}

/*!
 * The visibilities from `start` on, below `end` <= 32, that fit into the tile at (tile_u,
 * tile_v), or into a new one if the first does not: then it returns true and where that is.
 * `stop` is behind the last of them. Every warp finds the same.
 */
__device__ inline bool next_piece(int start,
                                  int end,
                                  const int* first_u,
                                  const int* first_v,
                                  bool any,
                                  int tile_u,
                                  int tile_v,
                                  int& stop,
                                  int& new_u,
                                  int& new_v)
{
    const int lane = threadIdx.x % 32;
    const bool there = lane >= start && lane < end;
    const int u = first_u[there ? lane : start], v = first_v[there ? lane : start];
    const bool fits =
        any && u >= tile_u && u <= tile_u + slack && v >= tile_v && v <= tile_v + slack;
    unsigned no = __ballot_sync(~0u, there && !fits);
    if (!(no >> start & 1)) {
        stop = no ? __ffs(no) - 1 : end;
        return false;
    }
    int low_u = u, high_u = u, low_v = v, high_v = v; // of all lanes up to this
    for (int step = 1; step < 32; step *= 2) {
        const int a = __shfl_up_sync(~0u, low_u, step);
        const int b = __shfl_up_sync(~0u, high_u, step);
        const int c = __shfl_up_sync(~0u, low_v, step);
        const int d = __shfl_up_sync(~0u, high_v, step);
        if (lane >= step) {
            low_u = min(low_u, a);
            high_u = max(high_u, b);
            low_v = min(low_v, c);
            high_v = max(high_v, d);
        }
    }
    no = __ballot_sync(~0u, there && (high_u - low_u > slack || high_v - low_v > slack));
    stop = no ? __ffs(no) - 1 : end;
    low_u = __shfl_sync(~0u, low_u, stop - 1);
    high_u = __shfl_sync(~0u, high_u, stop - 1);
    low_v = __shfl_sync(~0u, low_v, stop - 1);
    high_v = __shfl_sync(~0u, high_v, stop - 1);
    // Room is left where the run goes.
    new_u = any && low_u < tile_u ? high_u - slack : low_u;
    new_v = any && low_v < tile_v ? high_v - slack : low_v;
    return true;
}

} // namespace tensor

//! Entry d of a kernel along one axis, by parabolas through neighbouring fractions and planes.
__device__ inline __half2 interpolated(const w_geometry& g,
                                       const float2* entry,
                                       const float* along,
                                       const float* across)
{
    const int line = int(g.support), plane = int(g.fractions()) * line;
    const int planes = int(g.plane_taps()) / 2;
    float2 sum = make_float2(0, 0);
    for (int p = -planes; p <= planes; p++) {
        const float a = planes > 0 ? across[p + 1] : 1;
#pragma unroll
        for (int j = -1; j <= 1; j++) {
            const float2 x = __ldg(entry + p * plane + j * line);
            sum.x += a * along[j + 1] * x.x;
            sum.y += a * along[j + 1] * x.y;
        }
    }
    return __floats2half2_rn(sum.x, sum.y);
}

namespace tensor {

//! Brings the kernels of `count` visibilities into shared memory, behind `slack` zeros a row:
//! conjugates along v to a, those along u to b.
template <int Support, bool Interpolate>
__device__ inline void stage_kernels(const convolver_work& w,
                                     const tensor_tables& tables,
                                     int count,
                                     const unsigned* row_u,
                                     const unsigned* row_v,
                                     const staged_weights* weights,
                                     unsigned* a,
                                     int a_row,
                                     unsigned* b,
                                     int b_row)
{
    if (Interpolate) {
        for (int n = threadIdx.x; n < count * Support; n += blockDim.x) {
            const int k = n / Support, d = n % Support;
            a[k * a_row + slack + d] = word(interpolated(
                w.g, tables.exact_v + row_v[k] + d, weights[k].v, weights[k].w));
            b[k * b_row + slack + d] = word(interpolated(
                w.g, tables.exact_u + row_u[k] + d, weights[k].u, weights[k].w));
        }
        return;
    }
    constexpr int fours = Support / 4;
    for (int n = threadIdx.x; n < count * fours; n += blockDim.x) {
        const int k = n / fours, d = 4 * (n % fours);
        *reinterpret_cast<uint4*>(a + k * a_row + slack + d) =
            __ldg(reinterpret_cast<const uint4*>(tables.v + row_v[k] + d));
        *reinterpret_cast<uint4*>(b + k * b_row + slack + d) =
            __ldg(reinterpret_cast<const uint4*>(tables.u + row_u[k] + d));
    }
}

} // namespace tensor

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile along v.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * tensor_shape<Support>::warps)
    tensor_spread_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* values,
                         float2* grid)
{
    using s = tensor_shape<Support>;
    using namespace tensor;
    constexpr int threads = 32 * s::warps, lines = 16 * s::blocks;
    constexpr int columns = s::cells * s::warps; // of the tile
    // Visibilities that are placed at a time.
    constexpr int batch = Support < 128 ? 128 : Interpolate ? 32 : 64;
    constexpr int a_row = padded(lines * s::parts), b_row = padded(columns),
                  value_row = 24;
    // Kernels along v and along u, and values.
    __shared__ __align__(16) unsigned a_shared[some][a_row];
    __shared__ __align__(16) unsigned b_shared[some][b_row];
    __shared__ __align__(16) unsigned value_shared[batch][value_row];
    __shared__ int first_u[batch], first_v[batch];
    __shared__ unsigned row_u[batch], row_v[batch]; // of the tables
    __shared__ staged_weights weights[Interpolate ? batch : 1];
    __shared__ float largest[32];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int first_line = blockIdx.y * lines;
    float sums[s::cells][s::blocks][4];
    unsigned updates = 0;
    const auto clear = [&] {
#pragma unroll
        for (int i = 0; i < s::cells; i++) {
#pragma unroll
            for (int j = 0; j < s::blocks; j++) {
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    sums[i][j][n] = 0;
                }
            }
        }
    };
    clear();
    for (int n = threadIdx.x; n < some * a_row; n += threads) {
        a_shared[0][n] = 0;
    }
    for (int n = threadIdx.x; n < some * b_row; n += threads) {
        b_shared[0][n] = 0;
    }

    const std::size_t begin = blockIdx.x * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    // Values by a power of two that brings the largest of the chunk below 1.
    float most = 0;
    {
        const std::size_t rows_from = begin / w.channels,
                          rows_end = (end + w.channels - 1) / w.channels;
        const auto parts = reinterpret_cast<const float4*>(
            values + rows_from * w.channels * polarisations);
        const std::size_t count = (rows_end - rows_from) * w.channels * polarisations / 2;
        for (std::size_t n = threadIdx.x; n < count; n += threads) {
            const float4 x = parts[n];
            most = fmaxf(fmaxf(most, fmaxf(fabsf(x.x), fabsf(x.y))),
                         fmaxf(fabsf(x.z), fabsf(x.w)));
        }
        for (int step = 16; step > 0; step /= 2) {
            most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
        }
        if (lane == 0) {
            largest[warp] = most;
        }
        __syncthreads();
        most = 0;
        for (int n = 0; n < s::warps; n++) {
            most = fmaxf(most, largest[n]);
        }
    }
    if (!(most > 1e-30f)) {
        return;
    }
    const float scale = exp2f(ceilf(log2f(most)));

    int tile_u = 0, tile_v = 0;
    bool any = false; // whether the tile holds something
    const auto flush = [&] {
        const int nu = int(w.g.nu), nv = int(w.g.nv);
#pragma unroll
        for (int i = 0; i < s::cells; i++) {
            int u = tile_u + warp * s::cells + i;
            u += u < 0 ? nu : 0;
            u -= u >= nu ? nu : 0;
#pragma unroll
            for (int j = 0; j < s::blocks; j++) {
                // Two lanes put their polarisations together, each for one line.
                const bool odd = t % 2;
                float(&c)[4] = sums[i][j];
                const float x = __shfl_xor_sync(~0u, odd ? c[0] : c[2], 1);
                const float y = __shfl_xor_sync(~0u, odd ? c[1] : c[3], 1);
                float4 four =
                    odd ? make_float4(x, y, c[2], c[3]) : make_float4(c[0], c[1], x, y);
                if (four.x != 0 || four.y != 0 || four.z != 0 || four.w != 0) {
                    four.x *= scale;
                    four.y *= scale;
                    four.z *= scale;
                    four.w *= scale;
                    int v = tile_v + first_line + 16 * j + g + (odd ? 8 : 0);
                    v += v < 0 ? nv : 0;
                    v -= v >= nv ? nv : 0;
                    float2* const cell =
                        grid + (std::size_t(v) * nu + u) * polarisations + t / 2 * 2;
#if __CUDA_ARCH__ >= 900
                    atomicAdd(reinterpret_cast<float4*>(cell), four);
#else
                    atomicAdd(&cell[0].x, four.x);
                    atomicAdd(&cell[0].y, four.y);
                    atomicAdd(&cell[1].x, four.z);
                    atomicAdd(&cell[1].y, four.w);
#endif
                    updates += t / 2 == 0;
                }
            }
        }
        clear();
    };

    for (std::size_t from = begin; from < end; from += batch) {
        const int now = int(end - from < batch ? end - from : batch);
        __syncthreads();
        for (int k = threadIdx.x; k < now; k += threads) {
            std::size_t row;
            unsigned channel;
            const std::size_t at = in_turn(w, from + k, row, channel);
            const w_place x = place_of(w, row, channel);
            first_u[k] = x.u;
            first_v[k] = x.v;
            row_u[k] = (x.plane * w.g.fractions() + x.fu) * Support;
            row_v[k] = (x.plane * w.g.fractions() + x.fv) * Support;
            if (Interpolate) {
                parabola(x.tu, weights[k].u);
                parabola(x.tv, weights[k].v);
                parabola(x.tw, weights[k].w);
            }
            const float2 phase = phase_of(x);
            const auto pairs =
                reinterpret_cast<const float4*>(values + at * polarisations);
            const float4 pair[2] = {pairs[0], pairs[1]};
#pragma unroll
            for (int p = 0; p < polarisations; p++) {
                float2 value = p % 2 ? make_float2(pair[p / 2].z, pair[p / 2].w)
                                     : make_float2(pair[p / 2].x, pair[p / 2].y);
                value.x /= scale; // a power of two
                value.y /= x.conjugate ? -scale : scale;
                value = kernels::times(value, phase);
                // For the real part of the tile (re, im), for the imaginary one (im, -re).
                *reinterpret_cast<uint4*>(&value_shared[k][4 * p]) =
                    make_uint4(word(__floats2half2_rn(value.x, value.y)),
                               word(__floats2half2_rn(-value.y, value.x)),
                               word(__floats2half2_rn(value.y, -value.x)),
                               word(__floats2half2_rn(value.x, value.y)));
            }
        }
        __syncthreads();
        for (int start = 0; start < now;) {
            const int block = start / some * some;
            const int block_end = min(now, block + some);
            int stop, new_u, new_v;
            if (next_piece(start - block,
                           block_end - block,
                           first_u + block,
                           first_v + block,
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
            if (start == block) {
                __syncthreads();
                tensor::stage_kernels<Support, Interpolate>(w,
                                                            tables,
                                                            block_end - block,
                                                            row_u + block,
                                                            row_v + block,
                                                            weights +
                                                                (Interpolate ? block : 0),
                                                            &a_shared[0][0],
                                                            a_row,
                                                            &b_shared[0][0],
                                                            b_row);
                __syncthreads();
            }
            for (int q = (start - block) / 8; 8 * q < stop; q++) {
                const int k0 = 8 * q + t, k1 = k0 + 4;
                // Visibilities of other pieces count as 0, wherever they are.
                const bool in0 = k0 >= start - block && k0 < stop;
                const bool in1 = k1 >= start - block && k1 < stop;
                const int v0 = in0 ? slack + tile_v - first_v[block + k0] : 0;
                const int v1 = in1 ? slack + tile_v - first_v[block + k1] : 0;
                const int u0 = in0 ? slack + tile_u - first_u[block + k0] : 0;
                const int u1 = in1 ? slack + tile_u - first_u[block + k1] : 0;
                const unsigned* const a0 = &a_shared[k0][first_line + v0 + g];
                const unsigned* const a1 = &a_shared[k1][first_line + v1 + g];
                unsigned a[s::blocks][4];
#pragma unroll
                for (int j = 0; j < s::blocks; j++) {
                    a[j][0] = a0[16 * j];
                    a[j][1] = a0[16 * j + 8];
                    a[j][2] = a1[16 * j];
                    a[j][3] = a1[16 * j + 8];
                }
                uint2 value0 = make_uint2(0, 0), value1 = make_uint2(0, 0);
                if (in0) {
                    value0 =
                        *reinterpret_cast<const uint2*>(&value_shared[block + k0][2 * g]);
                }
                if (in1) {
                    value1 =
                        *reinterpret_cast<const uint2*>(&value_shared[block + k1][2 * g]);
                }
                const unsigned* const ku0 = &b_shared[k0][warp * s::cells + u0];
                const unsigned* const ku1 = &b_shared[k1][warp * s::cells + u1];
#pragma unroll
                for (int i = 0; i < s::cells; i++) {
                    const unsigned b0 = tensor::times(ku0[i], value0);
                    const unsigned b1 = tensor::times(ku1[i], value1);
#pragma unroll
                    for (int j = 0; j < s::blocks; j++) {
                        multiply_add(sums[i][j], a[j], b0, b1);
                    }
                }
            }
            start = block + stop;
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
