/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_kernels.h"

namespace gr::fringe::kernels {

namespace {

// The products of 64 inputs with 64 by a thread block, four real products each, with the
// tensor-core instructions that every GPU from Turing on has. A warp makes 32 x 32.
constexpr int side = 64;
constexpr int threads = 128;
constexpr int plane_bytes = side * tile_layout::width;

//! c += A B^T of 16 and 8 rows, 32 columns: the m16n8k32 product, which Turing puts
//! together from those of 8 rows and 16 columns.
__device__ void multiply(int (&c)[4], const int (&a)[4], const int (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    for (int row = 0; row < 2; row++) {
        for (int k = 0; k < 2; k++) {
            asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, "
                         "{%2}, {%3}, {%0, %1};"
                         : "+r"(c[2 * row]), "+r"(c[2 * row + 1])
                         : "r"(a[2 * k + row]), "r"(b[k]));
        }
    }
#endif
}

//! Four bytes of a row from a tile in shared memory.
__device__ int load(const std::int8_t* tile, int row, int column)
{
    return *reinterpret_cast<const int*>(tile + row * tile_layout::width +
                                         ((column / 16) ^ (row % 8)) * 16 + column % 16);
}
__device__ void load_a(int (&a)[4], const std::int8_t* tile, int row, int column)
{
    a[0] = load(tile, row, column);
    a[1] = load(tile, row + 8, column);
    a[2] = load(tile, row, column + 16);
    a[3] = load(tile, row + 8, column + 16);
}
__device__ void load_b(int (&b)[2], const std::int8_t* tile, int row, int column)
{
    b[0] = load(tile, row, column);
    b[1] = load(tile, row, column + 16);
}

__global__ void __launch_bounds__(threads) multiply_tiles(tile_task t)
{
    __shared__ __align__(16) std::int8_t tiles[4][plane_bytes]; // R, I of both sides
    const tile_layout& l = t.layout;
    const int channel = blockIdx.x / t.segments, segment = blockIdx.x % t.segments;
    int a = 0, b = 0;
    for (int n = blockIdx.y; n > b; b++) {
        n -= b + 1;
        a = n;
    }
    a *= side;
    b *= side;

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 2 * 32, column = warp % 2 * 32;
    int re[2][4][4] = {}, ir[2][4][4] = {}, ri[2][4][4] = {};
    for (int g = t.begin(segment); g < t.begin(segment + 1); g++) {
        const auto slab = t.slab(channel, g);
        __syncthreads();
        for (int n = threadIdx.x; n < 4 * plane_bytes / 16; n += threads) {
            const int which = n / (plane_bytes / 16), at = n % (plane_bytes / 16) * 16;
            const std::size_t group =
                (which < 2 ? a : b) / 8 + at / static_cast<int>(tile_layout::group);
            const auto from =
                slab + (which % 2 * l.input_groups() + group) * tile_layout::group +
                at % tile_layout::group;
            *reinterpret_cast<int4*>(&tiles[which][at]) =
                group < l.input_groups() ? *reinterpret_cast<const int4*>(from) : int4{};
        }
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < static_cast<int>(tile_layout::width); k += 32) {
            int br[4][2], bi[4][2];
#pragma unroll
            for (int n = 0; n < 4; n++) {
                const int r = column + 8 * n + lane / 4;
                load_b(br[n], tiles[2], r, k + lane % 4 * 4);
                load_b(bi[n], tiles[3], r, k + lane % 4 * 4);
            }
#pragma unroll
            for (int m = 0; m < 2; m++) {
                int ar[4], ai[4];
                load_a(ar, tiles[0], row + 16 * m + lane / 4, k + lane % 4 * 4);
                load_a(ai, tiles[1], row + 16 * m + lane / 4, k + lane % 4 * 4);
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    multiply(re[m][n], ar, br[n]);
                    multiply(re[m][n], ai, bi[n]);
                    multiply(ir[m][n], ai, br[n]);
                    multiply(ri[m][n], ar, bi[n]);
                }
            }
        }
    }

    const int inputs = static_cast<int>(l.inputs);
    const std::size_t n_inputs = l.inputs;
    std::int32_t* const sums = t.sums + channel * (n_inputs * (n_inputs + 1));
#pragma unroll
    for (int m = 0; m < 2; m++) {
#pragma unroll
        for (int n = 0; n < 4; n++) {
#pragma unroll
            for (int v = 0; v < 4; v++) {
                const int i = a + row + 16 * m + v / 2 * 8 + lane / 4;
                const int j = b + column + 8 * n + lane % 4 * 2 + v % 2;
                if (i <= j && j < inputs) {
                    const std::size_t s = i;
                    const auto at = sums + 2 * (s * n_inputs - s * (s + 1) / 2 + j);
                    atomicAdd(at, re[m][n][v]);
                    atomicAdd(at + 1, ir[m][n][v] - ri[m][n][v]);
                }
            }
        }
    }
}

} // namespace

void launch_mma(const cuda_context& c, const tile_task& t)
{
    const unsigned blocks = (t.layout.inputs + side - 1) / side;
    const dim3 grid(t.layout.channels * t.segments, blocks * (blocks + 1) / 2);
    multiply_tiles<<<grid, threads, 0, c.compute>>>(t);
    check_launch("X-engine");
}

} // namespace gr::fringe::kernels
