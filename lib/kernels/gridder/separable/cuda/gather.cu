/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/separable/cuda/separable.cuh"

namespace gr::fringe::kernels::separable {

namespace {

__device__ inline int least_of(int x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(all_lanes, x);
#else
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        x = min(x, __shfl_xor_sync(all_lanes, x, step));
    }
    return x;
#endif
}

/*!
 * Cells of the planes that the visibilities of a warp have around them, for one interval in
 * w: what they count in each of its terms. Lies in shared memory.
 */
template <int Support, int Polarizations, int Terms>
class cell_tile
{
public:
    static constexpr int parts = 2 * Polarizations;     // real numbers of a cell
    static constexpr int piece = parts < 4 ? parts : 4; // read at once
    static constexpr int pieces = parts / piece;
    static constexpr int cell_bytes = 4 * parts * Terms;

    //! Cells along u and v: as many as there is room for, of warps that hide each other's
    //! waits.
    static constexpr int side_for(int side)
    {
        return side > Support + 1 && warps * side * side * cell_bytes > 40960
                   ? side_for(side - 1)
                   : side;
    }
    static constexpr int side = side_for(Support + 7);
    static constexpr int maximum =
        side - Support + 1; // first cells that kernels may have
    struct __align__(16) memory
    {
        float values[Terms * parts * side * side]; // [term][piece][v][u][part]
    };

    __device__ explicit cell_tile(memory& values) : d_values(values.values) {}

    __device__ bool has(int u, int v, int interval) const
    {
        return interval == d_interval && unsigned(u - d_u) < unsigned(d_count_u) &&
               unsigned(v - d_v) < unsigned(d_count_v);
    }
    //! Reads what visibilities need that lie near one of them, in all lanes.
    __device__ void move_to(const separable_work& w,
                            const float* grid,
                            const place& x,
                            bool wanted,
                            int leader)
    {
        const int u = __shfl_sync(all_lanes, x.from_u, leader);
        const int v = __shfl_sync(all_lanes, x.from_v, leader);
        d_interval = __shfl_sync(all_lanes, x.interval, leader);
        wanted = wanted && x.interval == d_interval && abs(x.from_u - u) < maximum &&
                 abs(x.from_v - v) < maximum;
        d_u = least_of(wanted ? x.from_u : u);
        d_v = least_of(wanted ? x.from_v : v);
        wanted = wanted && x.from_u - d_u < maximum && x.from_v - d_v < maximum;
        d_count_u = 1 - least_of(wanted ? d_u - x.from_u : 0);
        d_count_v = 1 - least_of(wanted ? d_v - x.from_v : 0);
        __syncwarp();
        read(w, grid);
        __syncwarp();
    }
    //! Adds to sums what a visibility has of the cells.
    __device__ void gather(const place& x,
                           const float (&along_u)[8],
                           const float (&along_v)[8],
                           float (&sums)[parts]) const
    {
        const float* const from =
            d_values + ((x.from_v - d_v) * side + x.from_u - d_u) * piece;
        float of_terms[Terms][parts] = {};
#pragma unroll
        for (int j = 0; j < Support; j++) {
#pragma unroll
            for (int i = 0; i < Support; i++) {
                const float k = along_u[i] * along_v[j];
#pragma unroll
                for (int n = 0; n < Terms * pieces; n++) {
                    float cell[piece];
                    load(from + ((n * side + j) * side + i) * piece, cell);
#pragma unroll
                    for (int m = 0; m < piece; m++) {
                        of_terms[n / pieces][n % pieces * piece + m] += k * cell[m];
                    }
                }
            }
        }
        float power = 1;
#pragma unroll
        for (int i = 0; i < Terms; i++) {
#pragma unroll
            for (int n = 0; n < parts; n++) {
                sums[n] += power * of_terms[i][n];
            }
            power *= x.t;
        }
    }

private:
    __device__ void read(const separable_work& w, const float* grid)
    {
        const int first = d_interval / int(w.intervals);
        const float4* const weights =
            w.in_planes + (d_interval - first * int(w.intervals)) * 8;
        const int width = d_count_u + Support - 1, height = d_count_v + Support - 1;
        for (int task = threadIdx.x % 32; task < width * height * pieces; task += 32) {
            const int cell = task / pieces, j = cell / width, i = cell - j * width;
            int u = d_u + i, v = d_v + j;
            u -= u >= int(w.cells_u) ? int(w.cells_u) : 0;
            v -= v >= int(w.cells_v) ? int(w.cells_v) : 0;
            const float* const from =
                grid + (std::size_t(v) * w.cells_u + u) * parts + task % pieces * piece;
            float sums[Terms][piece] = {};
#pragma unroll 4
            for (int p = 0; p < int(w.depth); p++) {
                const int plane = first + p - w.first_plane;
                if (plane < 0 || plane >= w.planes) { // the same in all lanes
                    continue;
                }
                const float4 x = __ldg(weights + p);
                const float of_term[4] = {x.x, x.y, x.z, x.w};
                float value[piece];
                load(from + std::size_t(plane) * w.cells_v * w.cells_u * parts, value);
#pragma unroll
                for (int n = 0; n < Terms; n++) {
#pragma unroll
                    for (int m = 0; m < piece; m++) {
                        sums[n][m] += of_term[n] * value[m];
                    }
                }
            }
#pragma unroll
            for (int n = 0; n < Terms; n++) {
                store(sums[n],
                      d_values +
                          (((n * pieces + task % pieces) * side + j) * side + i) * piece);
            }
        }
    }

    float* const d_values;
    int d_interval = -1, d_u = 0, d_v = 0; // first cells that kernels may have
    int d_count_u = 0, d_count_v = 0;      // of these
};

//! The reverse of spread_kernel: a lane does one visibility, and the lanes share the cells
//! that are around theirs. The grid is the forward transform, of which the backward one is
//! the conjugate.
template <int Support, int Polarizations, int Terms>
__global__ void __launch_bounds__(32 * warps)
    gather_kernel(const __grid_constant__ separable_work w,
                  const float2* grid,
                  float2* data)
{
    using cells = cell_tile<Support, Polarizations, Terms>;
    __shared__ typename cells::memory memory[warps];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    cells tile(memory[warp]);
    const std::size_t begin = (std::size_t(blockIdx.x) * warps + warp) * w.chunk;
    const std::size_t end = begin + w.chunk < w.count ? begin + w.chunk : w.count;
    for (std::size_t from = begin; from < end; from += 32) {
        const bool there = from + lane < end;
        place x{};
        float along_u[8], along_v[8], sums[2 * Polarizations] = {};
        if (there) {
            x = find(w, from + lane);
        }
        if (x.used) {
            kernel_at<Support>(w, x.zu, along_u);
            kernel_at<Support>(w, x.zv, along_v);
        }
        bool wanted = x.used;
        while (const unsigned left = __ballot_sync(all_lanes, wanted)) {
            const bool ready = wanted && tile.has(x.from_u, x.from_v, x.interval);
            if (__any_sync(all_lanes, ready)) {
                if (ready) {
                    tile.gather(x, along_u, along_v, sums);
                }
                wanted = wanted && !ready;
            } else {
                tile.move_to(w,
                             reinterpret_cast<const float*>(grid),
                             x,
                             wanted,
                             __ffs(int(left)) - 1);
            }
        }
        if (!there || (w.adds && !x.used)) {
            continue;
        }
        const float2 turn = phase(x.turns);
#pragma unroll
        for (int n = 0; n < Polarizations; n++) {
            // The conjugate of the sum, by the phase of +w and the middle; 0 without a cell.
            const float re = sums[2 * n] * turn.x - sums[2 * n + 1] * turn.y;
            const float im = sums[2 * n] * turn.y + sums[2 * n + 1] * turn.x;
            const float2 value = make_float2(re, x.conjugate ? im : -im);
            float2& to = data[n * w.count + x.at];
            to = w.adds ? make_float2(to.x + value.x, to.y + value.y) : value;
        }
    }
}

} // namespace

void gather(const separable_work& w, const float2* grid, float2* data, cudaStream_t where)
{
    by_shape(w, [&](auto support, auto polarizations, auto terms) {
        gather_kernel<support(), polarizations(), terms()>
            <<<blocks_of(w), 32 * warps, 0, where>>>(w, grid, data);
    });
    check_launch("separable gather_kernel");
}

} // namespace gr::fringe::kernels::separable
