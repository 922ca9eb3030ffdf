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
__device__ inline void add(float2* to, const float (&sum)[Parts])
{
#if __CUDA_ARCH__ >= 900
    if constexpr (Parts == 2) {
        atomicAdd(to, make_float2(sum[0], sum[1]));
    } else {
#pragma unroll
        for (int n = 0; n < Parts; n += 4) {
            atomicAdd(reinterpret_cast<float4*>(to + n / 2),
                      make_float4(sum[n], sum[n + 1], sum[n + 2], sum[n + 3]));
        }
    }
#else
#pragma unroll
    for (int n = 0; n < Parts; n++) {
        atomicAdd(reinterpret_cast<float*>(to) + n, sum[n]);
    }
#endif
}

template <int Support, int Polarisations, bool Deep>
__global__ void __launch_bounds__(32 * warps)
    spread_kernel(const __grid_constant__ separable_work w,
                  const float2* data,
                  const float* weights,
                  float2* grid)
{
    using own = owned<Support, Polarisations>;
    constexpr int planes = Deep ? Support : 1, rounds = own::rounds, parts = own::parts;
    __shared__ staged_visibility<Polarisations> staged[warps][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const lane_kernel<Support> kernel(w);

    float sums[planes][rounds][parts] = {};
    int u[rounds], v[rounds], plane[planes]; // whose sums these are
#pragma unroll
    for (int r = 0; r < rounds; r++) {
        u[r] = v[r] = 0;
    }
#pragma unroll
    for (int p = 0; p < planes; p++) {
        plane[p] = Deep ? -1 : 0;
    }
    // Adds a sum to memory and begins another.
    const auto flush = [&](int p, int r) {
        float(&sum)[parts] = sums[p][r];
        bool any = false;
#pragma unroll
        for (int n = 0; n < parts; n++) {
            any |= sum[n] != 0;
        }
        const bool here =
            !Deep || (plane[p] >= w.first_plane && plane[p] < w.first_plane + w.planes);
        if (any && here) {
            add(grid + cell_index<Polarisations>(w, plane[p], u[r], v[r]) +
                    parts / 2 * own::share(),
                sum);
        }
#pragma unroll
        for (int n = 0; n < parts; n++) {
            sum[n] = 0;
        }
    };

    const std::size_t begin = (std::size_t(blockIdx.x) * warps + warp) * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += 32) {
        auto& mine = staged[warp][lane];
        bool used = false;
        __syncwarp();
        if (from + lane < end) {
            const place x = find<Support, Deep>(w, from + lane, mine);
            used = x.used;
            if (used) {
                const float2 turn = phase(x.turns);
                used = false;
#pragma unroll
                for (int n = 0; n < Polarisations; n++) {
                    const std::size_t k = n * w.count + x.at;
                    const float weight = weights[k];
                    float2 value = make_float2(0, 0);
                    // What has no weight may be anything, not-a-numbers too.
                    if (weight > 0) {
                        const float2 d = data[k];
                        const float re = d.x * weight;
                        const float im = x.conjugate ? -d.y * weight : d.y * weight;
                        value = make_float2(re * turn.x - im * turn.y,
                                            re * turn.y + im * turn.x);
                        used = true;
                    }
                    mine.value[n] = value;
                }
            }
        }
        __syncwarp();
        for (unsigned left = __ballot_sync(~0u, used); left; left &= left - 1) {
            const auto& now = staged[warp][__ffs(left) - 1];
            const float along = kernel.value(now);
            const int to_u = now.u, to_v = now.v, u_rest = now.u_rest,
                      v_rest = now.v_rest;
            float value[parts];
            const auto* const from_value =
                reinterpret_cast<const float*>(now.value) + parts * own::share();
            if constexpr (parts == 2) {
                value[0] = from_value[0];
                value[1] = from_value[1];
            } else {
#pragma unroll
                for (int n = 0; n < parts; n += 4) {
                    const float4 x = *reinterpret_cast<const float4*>(from_value + n);
                    value[n] = x.x;
                    value[n + 1] = x.y;
                    value[n + 2] = x.z;
                    value[n + 3] = x.w;
                }
            }
            float deep[planes];
            if (Deep) {
#pragma unroll
                for (int p = 0; p < planes; p++) {
                    const int n = own::behind(p, now.w_rest);
                    deep[p] = __shfl_sync(~0u, along, 16 + n);
                    if (plane[p] != now.plane + n) { // the same in all lanes
#pragma unroll
                        for (int r = 0; r < rounds; r++) {
                            flush(p, r);
                        }
                        plane[p] = now.plane + n;
                    }
                }
            }
#pragma unroll
            for (int r = 0; r < rounds; r++) {
                const int du = own::behind(own::u(r), u_rest);
                const int dv = own::behind(own::v(r) % Support, v_rest);
                const float across =
                    __shfl_sync(~0u, along, du) * __shfl_sync(~0u, along, 8 + dv);
                if (!own::there(r)) {
                    continue;
                }
                if (u[r] != to_u + du || v[r] != to_v + dv) {
#pragma unroll
                    for (int p = 0; p < planes; p++) {
                        flush(p, r);
                    }
                    u[r] = to_u + du;
                    v[r] = to_v + dv;
                }
#pragma unroll
                for (int p = 0; p < planes; p++) {
                    const float k = Deep ? across * deep[p] : across;
#pragma unroll
                    for (int n = 0; n < parts; n++) {
                        sums[p][r][n] += k * value[n];
                    }
                }
            }
        }
    }
#pragma unroll
    for (int p = 0; p < planes; p++) {
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            flush(p, r);
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
    by_shape(w, [&](auto support, auto polarisations, auto deep) {
        spread_kernel<support(), polarisations(), deep()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, data, weights, grid);
    });
    check_launch("separable spread_kernel");
}

} // namespace separable
} // namespace kernels
} // namespace fringe
} // namespace gr
