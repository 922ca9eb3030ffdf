/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_SPREAD_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_SPREAD_CUH

#include "kernels/gridder/wprojection/cuda/work.cuh"

namespace gr::fringe::kernels {

//! Adds the values of a cell, Pols complex numbers, in memory.
template <int Pols>
__device__ inline void add_cell(float2* cell, const float2* sums)
{
#if __CUDA_ARCH__ >= 900
    if (Pols % 2 == 0) {
#pragma unroll
        for (int p = 0; p + 1 < Pols; p += 2) {
            atomicAdd(reinterpret_cast<float4*>(cell + p),
                      make_float4(sums[p].x, sums[p].y, sums[p + 1].x, sums[p + 1].y));
        }
    } else {
        atomicAdd(cell, sums[0]);
    }
#else
#pragma unroll
    for (int p = 0; p < Pols; p++) {
        atomicAdd(&cell[p].x, sums[p].x);
        atomicAdd(&cell[p].y, sums[p].y);
    }
#endif
}

/*!
 * Work distribution of Romein (2012). The grid's points that are congruent modulo the support
 * belong to one thread: the kernel of a visibility covers just one of them, wherever it lies.
 * The thread adds to it in registers while the kernel covers it, and adds the sum to memory
 * when the kernel has slid off. Here a thread owns `Cells` such sets, apart along v.
 *
 * blockIdx.x: chunks of visibilities, blockIdx.y: parts of the support.
 */
template <int Support, int Pols, int Threads, int Cells, bool Interpolate>
__global__ void __launch_bounds__(Threads)
    spread_kernel(const convolver_work w, const float2* values, float2* grid)
{
    constexpr int batch = 128, lines = Threads / Support;
    __shared__ staged_place places[batch];
    __shared__ __align__(16) float2 staged[batch][Pols];
    __shared__ staged_weights weights[Interpolate ? batch : 1];

    const int a = threadIdx.x % Support;
    const int b = threadIdx.x / Support + blockIdx.y * Cells * lines;
    const int nu = int(w.g.nu), nv = int(w.g.nv);
    float2 sums[Cells][Pols];
    std::size_t cell[Cells];
    unsigned local[Cells];
    unsigned updates = 0;
#pragma unroll
    for (int j = 0; j < Cells; j++) {
        cell[j] = ~std::size_t(0);
        local[j] = 0;
#pragma unroll
        for (int p = 0; p < Pols; p++) {
            sums[j][p] = make_float2(0, 0);
        }
    }
    const auto flush = [&](int j) {
        if (cell[j] != ~std::size_t(0)) {
            add_cell<Pols>(grid + cell[j] * Pols, sums[j]);
            updates++;
        }
    };

    int last_u = -1, last_v = -1;
    const std::size_t begin = blockIdx.x * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += batch) {
        const int now = int(end - from < batch ? end - from : batch);
        __syncthreads();
        for (int k = threadIdx.x; k < now; k += Threads) {
            std::size_t row;
            unsigned channel;
            const std::size_t at = in_turn(w, from + k, row, channel);
            const w_place x = place_of(w, row, channel);
            stage(w, x, places[k], Interpolate ? &weights[k] : nullptr);
            const float2 phase = phase_of(x);
#pragma unroll
            for (int p = 0; p < Pols; p++) {
                float2 value = values[at * Pols + p];
                value.y = x.conjugate ? -value.y : value.y;
                staged[k][p] = times(value, phase);
            }
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
                        flush(j);
                        cell[j] = next;
#pragma unroll
                        for (int p = 0; p < Pols; p++) {
                            sums[j][p] = make_float2(0, 0);
                        }
                    }
                }
            }
            float2 value[Pols];
#pragma unroll
            for (int p = 0; p < Pols; p++) {
                value[p] = staged[k][p];
            }
#pragma unroll
            for (int j = 0; j < Cells; j++) {
                const float2 kernel = kernel_value<Interpolate>(
                    w, place, Interpolate ? &weights[k] : nullptr, local[j]);
#pragma unroll
                for (int p = 0; p < Pols; p++) {
                    sums[j][p].x += kernel.x * value[p].x - kernel.y * value[p].y;
                    sums[j][p].y += kernel.x * value[p].y + kernel.y * value[p].x;
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < Cells; j++) {
        flush(j);
    }
    if (w.updates) {
        atomicAdd(w.updates, static_cast<unsigned long long>(updates));
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_SPREAD_CUH */
