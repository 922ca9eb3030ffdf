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
            sum[n] = kept + __shfl_xor_sync(~0u, given, step);
        }
    }
    const int same = 2 * step - 1; // lanes that have the same one
    for (; step >= Shares; step /= 2) {
        sum[0] += __shfl_xor_sync(~0u, sum[0], step);
    }
    return (lane & same) / Shares == 0 ? part : -1;
}

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
            here ? grid + cell_index<Polarisations>(w, plane[p], u[r], v[r]) +
                       parts / 2 * own::share()
                 : nullptr;
        float(&cell)[parts] = cells[p][r];
        if constexpr (parts == 2) {
            const float2 x = here ? __ldg(from) : make_float2(0, 0);
            cell[0] = x.x;
            cell[1] = x.y;
        } else {
#pragma unroll
            for (int n = 0; n < parts; n += 4) {
                const float4 x =
                    here ? __ldg(reinterpret_cast<const float4*>(from + n / 2))
                         : make_float4(0, 0, 0, 0);
                cell[n] = x.x;
                cell[n + 1] = x.y;
                cell[n + 2] = x.z;
                cell[n + 3] = x.w;
            }
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
            const int part = add_up<parts, own::shares>(sum);
            if (part >= 0) {
                reinterpret_cast<float*>(now.value)[parts * own::share() + part] = sum[0];
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
