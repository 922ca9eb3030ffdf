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

template <int Parts>
__device__ inline void add(float* to, const float (&sum)[Parts])
{
#if __CUDA_ARCH__ >= 900
    if constexpr (Parts == 2) {
        atomicAdd(reinterpret_cast<float2*>(to), make_float2(sum[0], sum[1]));
    } else {
#pragma unroll
        for (int n = 0; n < Parts; n += 4) {
            atomicAdd(reinterpret_cast<float4*>(to + n),
                      make_float4(sum[n], sum[n + 1], sum[n + 2], sum[n + 3]));
        }
    }
#else
#pragma unroll
    for (int n = 0; n < Parts; n++) {
        atomicAdd(to + n, sum[n]);
    }
#endif
}

//! The sums of cells that the kernel has left, until they are added to the planes.
template <int Parts, int Terms>
struct left_cells {
    //! From a cell to the next: their 16 bytes lie in different banks.
    static constexpr int step = Parts * Terms + 4;
    __align__(16) float values[32 * step]; // [cell][term][part], and the cell's index
};

/*!
 * Adds cells to planes. A lane always adds to the same plane of those that visibilities
 * reach, so that it keeps the plane's weights; in each step as many cells are added as the
 * planes leave lanes for.
 */
template <int Parts, int Terms>
class plane_adder
{
public:
    __device__ plane_adder(const separable_work& w, float* grid)
        : d_shift(w.depth > 4   ? 3
                  : w.depth > 2 ? 2
                  : w.depth > 1 ? 1
                                : 0),
          d_plane(threadIdx.x % 32 & ((1u << d_shift) - 1)),
          d_grid(grid)
    {
    }
    __device__ void set_interval(const separable_work& w, int interval)
    {
        const int first = interval / int(w.intervals);
        const int plane = first + int(d_plane) - w.first_plane;
        d_there = d_plane < w.depth && plane >= 0 && plane < w.planes;
        if (!d_there) {
            return;
        }
        d_to = d_grid + std::size_t(plane) * w.cells_v * w.cells_u * 2 * w.polarisations;
        const float4 x =
            w.in_planes[(interval - first * int(w.intervals)) * 8 + int(d_plane)];
        const float all[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (int i = 0; i < Terms; i++) {
            d_weights[i] = all[i];
        }
    }
    __device__ void add_cells(const left_cells<Parts, Terms>& cells, int count) const
    {
        for (int task = threadIdx.x % 32; task < count << d_shift; task += 32) {
            if (!d_there) {
                continue;
            }
            const float* const cell = cells.values + (task >> d_shift) * cells.step;
            float sum[Parts] = {};
#pragma unroll
            for (int i = 0; i < Terms; i++) {
                float part[Parts];
                load(cell + i * Parts, part);
#pragma unroll
                for (int n = 0; n < Parts; n++) {
                    sum[n] += d_weights[i] * part[n];
                }
            }
            const auto index = unsigned(__float_as_int(cell[Parts * Terms]));
            add(d_to + std::size_t(index) * Parts, sum);
        }
    }

private:
    const int d_shift;
    const unsigned d_plane;
    float* const d_grid;
    float* d_to = nullptr;
    float d_weights[Terms] = {};
    bool d_there = false;
};

template <int Support, int Polarisations, int Terms>
__global__ void __launch_bounds__(32 * warps)
    spread_kernel(const __grid_constant__ separable_work w,
                  const float2* data,
                  const float* weights,
                  float2* grid)
{
    using owned = owned_cells<Support, Polarisations>;
    constexpr int rounds = owned::rounds, parts = owned::parts;
    __shared__ prepared all_rows[warps][32];
    __shared__ left_cells<parts, Terms> all_left[warps];
    prepared* const rows = all_rows[threadIdx.x / 32];
    auto& left = all_left[threadIdx.x / 32];

    owned cells;
    plane_adder<parts, Terms> planes(w, reinterpret_cast<float*>(grid));
    float sums[rounds][Terms][parts] = {};
    int interval = -1;

    // Adds the sums of lanes to memory, and begins others.
    const auto flush = [&](int r, bool leaves) {
        const unsigned set = __ballot_sync(all_lanes, leaves);
        if (!set) {
            return;
        }
        if (leaves) {
            float* const to = left.values + rank_of(set) * left.step;
#pragma unroll
            for (int i = 0; i < Terms; i++) {
                store(sums[r][i], to + i * parts);
#pragma unroll
                for (int n = 0; n < parts; n++) {
                    sums[r][i][n] = 0;
                }
            }
            to[parts * Terms] = __int_as_float(int(cells.index(w, r)));
        }
        __syncwarp();
        planes.add_cells(left, __popc(set));
        __syncwarp();
    };

    const auto take = [&](std::size_t k, bool there) {
        place x;
        bool used = false;
        float value[2 * Polarisations] = {};
        if (there) {
            x = find(w, k);
            if (x.used) {
                const float2 turn = phase(x.turns);
#pragma unroll
                for (int n = 0; n < Polarisations; n++) {
                    const float weight = weights[n * w.count + x.at];
                    // What has no weight may be anything, not-a-numbers too.
                    if (weight > 0) {
                        const float2 d = data[n * w.count + x.at];
                        const float re = d.x * weight;
                        const float im = x.conjugate ? -d.y * weight : d.y * weight;
                        value[2 * n] = re * turn.x - im * turn.y;
                        value[2 * n + 1] = re * turn.y + im * turn.x;
                        used = true;
                    }
                }
            }
        }
        const unsigned set = __ballot_sync(all_lanes, used);
        const int number = used ? rank_of(set) : -1;
        if (used) {
            prepare<Support>(w, x, rows[number]);
            store(value, rows[number].value);
        }
        return number;
    };

    const auto move = [&](const prepared& x) {
        const bool all = x.interval != interval;
        if (interval >= 0) {
#pragma unroll
            for (int r = 0; r < rounds; r++) {
                flush(r, owned::there(r) && (all || cells.left_by(x, r)));
            }
        }
        cells.move_to(x);
        if (all) {
            interval = x.interval;
            planes.set_interval(w, interval);
        }
    };

    const auto each = [&](const prepared& x) {
        float value[parts];
        load(x.value + parts * owned::share(), value);
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            float k = cells.kernel(x, r);
#pragma unroll
            for (int i = 0; i < Terms; i++) {
#pragma unroll
                for (int n = 0; n < parts; n++) {
                    sums[r][i][n] += k * value[n];
                }
                k *= x.t;
            }
        }
    };

    for_each_visibility(w, rows, take, move, each, [](int) {});
    if (interval >= 0) {
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            flush(r, owned::there(r));
        }
    }
}

} // namespace

void spread(const separable_work& w,
            const float2* data,
            const float* weights,
            float2* grid,
            cudaStream_t where)
{
    by_shape(w, [&](auto support, auto polarisations, auto terms) {
        spread_kernel<support(), polarisations(), terms()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, data, weights, grid);
    });
    check_launch("separable spread_kernel");
}

} // namespace separable
} // namespace kernels
} // namespace fringe
} // namespace gr
