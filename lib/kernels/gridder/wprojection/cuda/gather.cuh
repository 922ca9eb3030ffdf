/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_GATHER_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_GATHER_CUH

#include "kernels/gridder/wprojection/cuda/work.cuh"

namespace gr::fringe::kernels {

//! Sums `Count` values (2, 4 or 8) over a warp: lane n < Count returns the sum of value n of
//! all lanes. Half of the values go to the other half of the lanes at each step.
template <int Count>
__device__ inline float warp_sums(float* values)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = Count / 2; half > 0; half /= 2) {
        const bool upper = lane & half;
#pragma unroll
        for (int n = 0; n < half; n++) {
            const float mine = upper ? values[n + half] : values[n];
            const float other = upper ? values[n] : values[n + half];
            values[n] = mine + __shfl_xor_sync(~0u, other, half);
        }
    }
    float sum = values[0];
#pragma unroll
    for (int step = Count; step < 32; step *= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
    }
    return sum;
}

/*!
 * The reverse of spread_kernel: a thread holds the values of its points of the grid in
 * registers while kernels cover them, and reads others when the kernel slides on. Sums over
 * the points of a warp go to shared memory, from where a batch is written.
 *
 * blockIdx.x: chunks of visibilities, blockIdx.y: parts of the support, whose sums are added
 * up in memory: there values are 0 beforehand.
 */
template <int Support, int Pols, int Threads, int Cells, bool Interpolate>
__global__ void __launch_bounds__(Threads)
    gather_kernel(const convolver_work w, const float2* grid, float2* values)
{
    constexpr int batch = 64, lines = Threads / Support;
    __shared__ staged_place places[batch];
    __shared__ float2 phases[batch]; // of |w|
    __shared__ bool conjugate[batch];
    __shared__ std::size_t index[batch];
    __shared__ float staged[batch][2 * Pols];
    __shared__ staged_weights weights[Interpolate ? batch : 1];

    const int a = threadIdx.x % Support;
    const int b = threadIdx.x / Support + blockIdx.y * Cells * lines;
    const int nu = int(w.g.nu), nv = int(w.g.nv);
    float2 points[Cells][Pols];
    std::size_t cell[Cells];
    unsigned local[Cells];
#pragma unroll
    for (int j = 0; j < Cells; j++) {
        cell[j] = ~std::size_t(0);
        local[j] = 0;
    }
    int last_u = -1, last_v = -1;
    const std::size_t begin = blockIdx.x * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += batch) {
        const int now = int(end - from < batch ? end - from : batch);
        __syncthreads();
        for (int k = threadIdx.x; k < now; k += Threads) {
            std::size_t row;
            unsigned channel;
            index[k] = in_turn(w, from + k, row, channel);
            const w_place x = place_of(w, row, channel);
            stage(w, x, places[k], Interpolate ? &weights[k] : nullptr);
            phases[k] = phase_of(x);
            conjugate[k] = x.conjugate;
        }
        for (int n = threadIdx.x; n < batch * 2 * Pols; n += Threads) {
            staged[n / (2 * Pols)][n % (2 * Pols)] = 0;
        }
        __syncthreads();
        for (int k = 0; k < now; k++) {
            const staged_place place = places[k];
            if (place.u != last_u || place.v != last_v) { // the same for all threads
                last_u = place.u;
                last_v = place.v;
                const int du = (a - place.u) & (Support - 1);
                int u = place.u + du;
                u -= u >= nu ? nu : 0;
#pragma unroll
                for (int j = 0; j < Cells; j++) {
                    const int dv = (b + j * lines - place.v) & (Support - 1);
                    int v = place.v + dv;
                    v -= v >= nv ? nv : 0;
                    const std::size_t next = std::size_t(v) * nu + u;
                    local[j] = dv * Support + du;
                    if (next != cell[j]) {
                        cell[j] = next;
#pragma unroll
                        for (int p = 0; p < Pols; p++) {
                            points[j][p] = grid[next * Pols + p];
                        }
                    }
                }
            }
            float sums[2 * Pols];
#pragma unroll
            for (int n = 0; n < 2 * Pols; n++) {
                sums[n] = 0;
            }
#pragma unroll
            for (int j = 0; j < Cells; j++) {
                const float2 kernel = kernel_value<Interpolate>(
                    w, place, Interpolate ? &weights[k] : nullptr, local[j]);
#pragma unroll
                for (int p = 0; p < Pols; p++) {
                    const float2 point = points[j][p];
                    sums[2 * p] += kernel.x * point.x - kernel.y * point.y;
                    sums[2 * p + 1] += kernel.x * point.y + kernel.y * point.x;
                }
            }
            const float sum = warp_sums<2 * Pols>(sums);
            const int lane = threadIdx.x % 32;
            if (lane < 2 * Pols) {
                if (Threads == 32) {
                    staged[k][lane] = sum;
                } else {
                    atomicAdd(&staged[k][lane], sum);
                }
            }
        }
        __syncthreads();
        for (int n = threadIdx.x; n < now * Pols; n += Threads) {
            const int k = n / Pols, p = n % Pols;
            float2 value =
                times(make_float2(staged[k][2 * p], staged[k][2 * p + 1]), phases[k]);
            value.y = conjugate[k] ? -value.y : value.y;
            float2* const to = values + index[k] * Pols + p;
            if (gridDim.y == 1) {
                *to = value;
            } else {
                atomicAdd(&to->x, value.x);
                atomicAdd(&to->y, value.y);
            }
        }
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_GATHER_CUH */
