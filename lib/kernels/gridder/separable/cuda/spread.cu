/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/separable/cuda/separable.cuh"

namespace gr::fringe::kernels::separable {

namespace {

//! A visibility that a lane has prepared, in shared memory: rows lie in different banks.
struct __align__(16) prepared
{
    float u[8], v[8];             // the kernel
    float t;                      // place in the interval
    int from_u, from_v, interval; // first cells, and number of the interval
    float value[8];
};

//! Fills in all but the value.
template <int Support>
__device__ inline void prepare(const separable_work& w, const place& x, prepared& to)
{
    float values[8] = {};
    kernel_at<Support>(w, x.zu, values);
    store(values, to.u);
    kernel_at<Support>(w, x.zv, values);
    store(values, to.v);
    to.t = x.t;
    to.from_u = x.from_u;
    to.from_v = x.from_v;
    to.interval = x.interval;
}

//! The number of a lane's bit among those that are set.
__device__ inline int rank_of(unsigned set)
{
    return __popc(set & ((1u << (threadIdx.x % 32)) - 1));
}

//! The cells that a lane owns: in each of some rounds one, and polarizations of it. Small
//! kernels have so few cells that two lanes share one.
template <int Support, int Polarizations>
class owned_cells
{
public:
    static constexpr int shares = Polarizations == 4 && Support <= 4 ? 2 : 1;
    static constexpr int parts = 2 * Polarizations / shares; // real numbers of a share
    static constexpr int tasks = Support * Support * shares;
    static constexpr int rounds = (tasks + 31) / 32;

    __device__ static int task(int round) { return int(threadIdx.x % 32) + 32 * round; }
    __device__ static bool there(int round) { return task(round) < tasks; }
    __device__ static int share() { return int(threadIdx.x) % shares; }

    //! Whether the owned cell of a round is another for a visibility than it is now.
    __device__ bool left_by(const prepared& x, int round) const
    {
        return x.from_u + behind(own_u(round), x.from_u) != d_u[round] ||
               x.from_v + behind(own_v(round), x.from_v) != d_v[round];
    }
    __device__ void move_to(const prepared& x)
    {
#pragma unroll
        for (int r = 0; r < rounds; r++) {
            d_du[r] = behind(own_u(r), x.from_u);
            d_dv[r] = behind(own_v(r), x.from_v);
            d_u[r] = x.from_u + d_du[r];
            d_v[r] = x.from_v + d_dv[r];
        }
    }
    //! The kernel on the owned cell.
    __device__ float kernel(const prepared& x, int round) const
    {
        return x.u[d_du[round]] * x.v[d_dv[round]];
    }
    //! Where the owned cell is in [v][u][polarization], counted in shares; a kernel may reach
    //! over the edges.
    __device__ unsigned index(const separable_work& w, int round) const
    {
        const int u = d_u[round] - (d_u[round] >= int(w.cells_u) ? int(w.cells_u) : 0);
        const int v = d_v[round] - (d_v[round] >= int(w.cells_v) ? int(w.cells_v) : 0);
        return (unsigned(v) * w.cells_u + unsigned(u)) * shares + unsigned(share());
    }

private:
    __device__ static int own_u(int round) { return task(round) / shares % Support; }
    __device__ static int own_v(int round)
    {
        return task(round) / shares / Support % Support;
    }
    //! How far behind a first cell the owned one is.
    __device__ static int behind(int own, int from)
    {
        const int n = own - from % Support;
        return n < 0 ? n + Support : n;
    }

    int d_u[rounds] = {}, d_v[rounds] = {}, d_du[rounds] = {}, d_dv[rounds] = {};
};

/*!
 * Calls, for 32 visibilities of a warp at a time:
 *   take(k, there): in each lane; prepares visibility k, if there is one, in a row. Returns
 *                   the number of the row, or -1;
 *   move(row): in all lanes, before a visibility with other cells or another interval;
 *   each(row): in all lanes, for one visibility after the other;
 *   give(number): in each lane, for what `take` returned.
 */
template <class Take, class Move, class Each, class Give>
__device__ inline void for_each_visibility(const separable_work& w,
                                           prepared* rows,
                                           const Take& take,
                                           const Move& move,
                                           const Each& each,
                                           const Give& give)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::size_t begin = (std::size_t(blockIdx.x) * warps + warp) * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    int u = -1, v = -1, interval = -1; // of the last visibility
    for (std::size_t from = begin; from < end; from += 32) {
        __syncwarp();
        const int number = take(from + lane, from + lane < end);
        const int count = __popc(__ballot_sync(all_lanes, number >= 0));
        __syncwarp();
        bool moves = false;
        if (lane < count) {
            const prepared& x = rows[lane];
            moves = x.from_u != (lane ? rows[lane - 1].from_u : u) ||
                    x.from_v != (lane ? rows[lane - 1].from_v : v) ||
                    x.interval != (lane ? rows[lane - 1].interval : interval);
        }
        const unsigned all_moves = __ballot_sync(all_lanes, moves);
        for (int n = 0; n < count;) {
            if (all_moves >> n & 1) {
                move(rows[n]);
            }
            const unsigned later = all_moves & ~((2u << n) - 1);
            const int next = later ? __ffs(int(later)) - 1 : count;
#pragma unroll 2
            for (; n < next; n++) {
                each(rows[n]);
            }
        }
        if (count > 0) {
            u = rows[count - 1].from_u;
            v = rows[count - 1].from_v;
            interval = rows[count - 1].interval;
        }
        give(number);
    }
}

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
        d_to = d_grid + std::size_t(plane) * w.cells_v * w.cells_u * 2 * w.polarizations;
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

template <int Support, int Polarizations, int Terms>
__global__ void __launch_bounds__(32 * warps)
    spread_kernel(const __grid_constant__ separable_work w,
                  const float2* data,
                  const float* weights,
                  float2* grid)
{
    using owned = owned_cells<Support, Polarizations>;
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
        float value[2 * Polarizations] = {};
        if (there) {
            x = find(w, k);
            if (x.used) {
                const float2 turn = phase(x.turns);
#pragma unroll
                for (int n = 0; n < Polarizations; n++) {
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
    by_shape(w, [&](auto support, auto polarizations, auto terms) {
        spread_kernel<support(), polarizations(), terms()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, data, weights, grid);
    });
    check_launch("separable spread_kernel");
}

} // namespace gr::fringe::kernels::separable
