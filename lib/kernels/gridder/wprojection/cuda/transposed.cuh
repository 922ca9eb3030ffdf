/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TRANSPOSED_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TRANSPOSED_CUH

#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

// What stands between transforms along u and along v.
namespace transposed {

constexpr unsigned tile = 32, lines = 8;

//! Where pixel k of n stands among the cells of a transform.
__device__ inline unsigned frequency(unsigned k, unsigned n, unsigned cells)
{
    const unsigned at = k + cells - n / 2;
    return at < cells ? at : at - cells;
}
//! The pixel that stands at cell k, or n and more.
__device__ inline unsigned pixel(unsigned k, unsigned n, unsigned cells)
{
    const unsigned at = k + n / 2;
    return at < cells ? at : at - cells;
}

//! write(x, y, z, read(x, y, z)) for all x and y below the sizes, and all z of the blocks,
//! where neighbors along x are next to each other for read(), and neighbors along y for
//! write().
template <class Read, class Write>
__global__ void __launch_bounds__(tile* lines)
    kernel(unsigned width, unsigned height, Read read, Write write)
{
    __shared__ float2 values[tile][tile + 1];
    const unsigned x0 = blockIdx.x * tile, y0 = blockIdx.y * tile, z = blockIdx.z;
    for (unsigned j = threadIdx.y; j < tile; j += lines) {
        const unsigned x = x0 + threadIdx.x, y = y0 + j;
        if (x < width && y < height) {
            values[j][threadIdx.x] = read(x, y, z);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.y; i < tile; i += lines) {
        const unsigned x = x0 + i, y = y0 + threadIdx.x;
        if (x < width && y < height) {
            write(x, y, z, values[threadIdx.x][i]);
        }
    }
}

//! With one function object that does both.
template <class Both>
void run(
    unsigned width, unsigned height, unsigned depth, const Both& both, cudaStream_t where)
{
    const dim3 grid((width + tile - 1) / tile, (height + tile - 1) / tile, depth);
    kernel<<<grid, dim3(tile, lines), 0, where>>>(width, height, both, both);
    check_launch("transposing");
}

} // namespace transposed

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TRANSPOSED_CUH */
