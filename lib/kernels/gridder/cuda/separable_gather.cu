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

//! The reverse of spread_kernel: a lane keeps the cells that it owns until the kernel has
//! moved on. The grid is the forward transform, of which the backward one is the conjugate.
template <int Support, int Polarisations, bool Deep>
__global__ void __launch_bounds__(32 * warps)
    gather_kernel(const __grid_constant__ separable_work w,
                  const float2* grid,
                  float2* data)
{
    using own = owned<Support, Polarisations>;
    constexpr int planes = Deep ? Support : 1, rounds = own::rounds, parts = own::parts;
    __shared__ staged_visibility<Polarisations> staged[warps][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const lane_kernel<Support> kernel(w);

    float cells[planes][rounds][parts] = {};
    int u[rounds], v[rounds], plane[planes]; // whose values these are
#pragma unroll
    for (int r = 0; r < rounds; r++) {
        u[r] = v[r] = -1;
    }
#pragma unroll
    for (int p = 0; p < planes; p++) {
        plane[p] = Deep ? -1 : 0;
    }
    const auto load = [&](int p, int r) {
        const bool here =
            u[r] >= 0 &&
            (!Deep || (plane[p] >= w.first_plane && plane[p] < w.first_plane + w.planes));
        const float2* const from =
            here ? grid + cell_index<Polarisations>(w, plane[p], u[r], v[r], own::share())
                 : nullptr;
        float(&cell)[parts] = cells[p][r];
        if constexpr (parts == 4) {
            const float4 x = here ? __ldg(reinterpret_cast<const float4*>(from))
                                  : make_float4(0, 0, 0, 0);
            cell[0] = x.x;
            cell[1] = x.y;
            cell[2] = x.z;
            cell[3] = x.w;
        } else {
            const float2 x = here ? __ldg(from) : make_float2(0, 0);
            cell[0] = x.x;
            cell[1] = x.y;
        }
    };

    const std::size_t begin = (std::size_t(blockIdx.x) * warps + warp) * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += 32) {
        auto& mine = staged[warp][lane];
        place x{};
        __syncwarp();
        if (from + lane < end) {
            x = find<Support, Deep>(w, from + lane, mine);
        }
        __syncwarp();
        for (unsigned left = __ballot_sync(~0u, x.used); left; left &= left - 1) {
            auto& now = staged[warp][__ffs(left) - 1];
            const float along = kernel.value(now);
            const int to_u = now.u, to_v = now.v, u_rest = now.u_rest,
                      v_rest = now.v_rest;
            float deep[planes];
            if (Deep) {
#pragma unroll
                for (int p = 0; p < planes; p++) {
                    const int n = own::behind(p, now.w_rest);
                    deep[p] = __shfl_sync(~0u, along, 16 + n);
                    if (plane[p] != now.plane + n) {
                        plane[p] = now.plane + n;
#pragma unroll
                        for (int r = 0; r < rounds; r++) {
                            load(p, r);
                        }
                    }
                }
            }
            float sum[parts] = {};
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
                    u[r] = to_u + du;
                    v[r] = to_v + dv;
#pragma unroll
                    for (int p = 0; p < planes; p++) {
                        load(p, r);
                    }
                }
#pragma unroll
                for (int p = 0; p < planes; p++) {
                    const float k = Deep ? across * deep[p] : across;
#pragma unroll
                    for (int n = 0; n < parts; n++) {
                        sum[n] += k * cells[p][r][n];
                    }
                }
            }
            for (int step = 16; step >= own::shares; step /= 2) {
#pragma unroll
                for (int n = 0; n < parts; n++) {
                    sum[n] += __shfl_xor_sync(~0u, sum[n], step);
                }
            }
            if (lane < own::shares) {
#pragma unroll
                for (int n = 0; n < parts / 2; n++) {
                    now.value[2 * lane + n] = make_float2(sum[2 * n], sum[2 * n + 1]);
                }
            }
        }
        __syncwarp();
        if (from + lane < end && (x.used || !w.adds)) {
            const float2 turn = phase(x.used ? x.turns : 0);
#pragma unroll
            for (int n = 0; n < Polarisations; n++) {
                float2 value = make_float2(0, 0);
                if (x.used) {
                    const float2 s = mine.value[n];
                    // The conjugate of the sum, by the phase of +w and the middle.
                    value.x = s.x * turn.x - s.y * turn.y;
                    value.y = s.x * turn.y + s.y * turn.x;
                    value.y = x.conjugate ? value.y : -value.y;
                }
                float2& to = data[n * w.count + x.at];
                to = w.adds ? make_float2(to.x + value.x, to.y + value.y) : value;
            }
        }
    }
}

} // namespace

void gather(const separable_work& w, const float2* grid, float2* data, cudaStream_t where)
{
    by_shape(w, [&](auto support, auto polarisations, auto deep) {
        gather_kernel<support(), polarisations(), deep()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, grid, data);
    });
    check_launch("separable gather_kernel");
}

} // namespace separable
} // namespace kernels
} // namespace fringe
} // namespace gr
