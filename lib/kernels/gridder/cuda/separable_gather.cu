/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/cuda/separable.cuh"

namespace gr {
namespace fringe {
namespace kernels {
namespace separable {

namespace {

//! Adds up `Parts` numbers over the lanes of a share, halving them first, as each lane needs
//! to know one of them only. Returns which one of the sums is in sum[0], or -1: another lane
//! has it, too.
template <int Parts, int Shares>
__device__ inline int add_up(float (&sum)[Parts])
{
    const int lane = threadIdx.x % 32;
    int part = 0, step = 16;
#pragma unroll
    for (int half = Parts / 2; half >= 1; half /= 2, step /= 2) {
        const bool upper = lane & step;
        part += upper ? half : 0;
#pragma unroll
        for (int n = 0; n < half; n++) {
            const float given = upper ? sum[n] : sum[n + half];
            const float kept = upper ? sum[n + half] : sum[n];
            sum[n] = kept + __shfl_xor_sync(all_lanes, given, step);
        }
    }
    const int same = 2 * step - 1; // lanes that have the same one
    for (; step >= Shares; step /= 2) {
        sum[0] += __shfl_xor_sync(all_lanes, sum[0], step);
    }
    return (lane & same) / Shares == 0 ? part : -1;
}

//! What a cell of the planes counts in each term of an interval.
template <int Parts, int Terms>
__device__ inline void read_planes(const separable_work& w,
                                   const float* grid,
                                   int interval,
                                   unsigned index,
                                   float (&cells)[Terms][Parts])
{
    const std::size_t values = std::size_t(w.cells_v) * w.cells_u * 2 * w.polarisations;
    const int first = interval / int(w.intervals);
    const float4* const weights = w.in_planes + (interval - first * int(w.intervals)) * 8;
#pragma unroll
    for (int i = 0; i < Terms; i++) {
#pragma unroll
        for (int n = 0; n < Parts; n++) {
            cells[i][n] = 0;
        }
    }
#pragma unroll 4
    for (int p = 0; p < int(w.depth); p++) {
        const int plane = first + p - w.first_plane;
        if (plane < 0 || plane >= w.planes) { // the same in all lanes
            continue;
        }
        const float4 x = __ldg(weights + p);
        const float all[4] = {x.x, x.y, x.z, x.w};
        float cell[Parts];
        load(grid + plane * values + std::size_t(index) * Parts, cell);
#pragma unroll
        for (int i = 0; i < Terms; i++) {
#pragma unroll
            for (int n = 0; n < Parts; n++) {
                cells[i][n] += all[i] * cell[n];
            }
        }
    }
}

//! The reverse of spread_kernel: a lane keeps the cells that it owns until the kernel has
//! moved on. The grid is the forward transform, of which the backward one is the conjugate.
template <int Support, int Polarisations, int Terms>
__global__ void __launch_bounds__(32 * warps)
    gather_kernel(const __grid_constant__ separable_work w,
                  const float2* grid,
                  float2* data)
{
    using owned = owned_cells<Support, Polarisations>;
    constexpr int rounds = owned::rounds, parts = owned::parts;
    __shared__ prepared all_rows[warps][32];
    prepared* const rows = all_rows[threadIdx.x / 32];

    owned cells;
    float values[rounds][Terms][parts] = {};
    int interval = -1;
    place mine; // of the lane

    const auto take = [&](std::size_t k, bool there) {
        mine.used = false;
        if (there) {
            mine = find(w, k);
        }
        const unsigned set = __ballot_sync(all_lanes, mine.used);
        const int number = mine.used ? rank_of(set) : -1;
        if (mine.used) {
            prepare<Support>(w, mine, rows[number]);
        } else if (there && !w.adds) {
#pragma unroll
            for (int n = 0; n < Polarisations; n++) {
                data[n * w.count + mine.at] = make_float2(0, 0);
            }
        }
        return number;
    };

    const auto move = [&](const prepared& x) {
        const bool all = x.interval != interval;
        interval = x.interval;
        bool left[rounds];
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            left[r] = owned::there(r) && (all || cells.left_by(x, r));
        }
        cells.move_to(x);
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            if (left[r]) {
                read_planes(w,
                            reinterpret_cast<const float*>(grid),
                            interval,
                            cells.index(w, r),
                            values[r]);
            }
        }
    };

    const auto each = [&](prepared& x) {
        float sum[parts] = {};
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            float k = cells.kernel(x, r);
#pragma unroll
            for (int i = 0; i < Terms; i++) {
#pragma unroll
                for (int n = 0; n < parts; n++) {
                    sum[n] += k * values[r][i][n];
                }
                k *= x.t;
            }
        }
        const int part = add_up<parts, owned::shares>(sum);
        if (part >= 0) {
            x.value[parts * owned::share() + part] = sum[0];
        }
    };

    const auto give = [&](int number) {
        __syncwarp();
        if (number < 0) {
            return;
        }
        const float2 turn = phase(mine.turns);
        float sums[2 * Polarisations];
        load(rows[number].value, sums);
#pragma unroll
        for (int n = 0; n < Polarisations; n++) {
            // The conjugate of the sum, by the phase of +w and the middle.
            const float re = sums[2 * n] * turn.x - sums[2 * n + 1] * turn.y;
            const float im = sums[2 * n] * turn.y + sums[2 * n + 1] * turn.x;
            const float2 value = make_float2(re, mine.conjugate ? im : -im);
            float2& to = data[n * w.count + mine.at];
            to = w.adds ? make_float2(to.x + value.x, to.y + value.y) : value;
        }
    };

    for_each_visibility(w, rows, take, move, each, give);
}

} // namespace

void gather(const separable_work& w, const float2* grid, float2* data, cudaStream_t where)
{
    by_shape(w, [&](auto support, auto polarisations, auto terms) {
        gather_kernel<support(), polarisations(), terms()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, grid, data);
    });
    check_launch("separable gather_kernel");
}

} // namespace separable
} // namespace kernels
} // namespace fringe
} // namespace gr
