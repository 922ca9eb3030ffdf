/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_SPREAD_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_SPREAD_CUH

#include "kernels/gridder/wprojection/cuda/tensor_runs.cuh"

namespace gr::fringe::kernels {

/*!
 * Gridding by separable kernels as a product of matrices. A run of visibilities whose first
 * cells differ by no more than `slack` stays in one tile of the grid, Support + slack cells
 * wide, which is in registers:
 *
 *     tile[u, polarization][v] += sum over visibilities of (V[polarization] ku[u]) kv[v]
 *
 * With real and imaginary parts apart, a row of the left matrix holds (Re, Im) of V ku for each
 * visibility, and two columns of the right one hold (Re kv, -Im kv) and (Im kv, Re kv). A
 * multiplication of tensor cores, 16 x 16 by 16 x 8, takes four cells along u with 4
 * polarizations, 8 visibilities and four lines of the tile. Each warp has some fours of cells
 * along u and of lines. When a run ends, the tile is added to memory. A support of 8 or 16 has
 * a warp to itself, so its warps never wait for each other.
 */
template <int Support>
struct tensor_shape;
template <int WarpsU,
          int WarpsV,
          int FoursU,
          int FoursV,
          int Parts,
          int Slack,
          int Resident>
struct tensor_shape_of {
    static constexpr int warps_u = WarpsU, warps_v = WarpsV, warps = warps_u * warps_v;
    static constexpr int fours_u = FoursU, fours_v = FoursV; // of cells, of a warp
    static constexpr int parts = Parts;                      // blocks along v
    static constexpr int slack = Slack;
    static constexpr int resident = Resident; // blocks on a multiprocessor
};
template <>
struct tensor_shape<8> : tensor_shape_of<1, 1, 3, 3, 1, 4, 16> {
};
template <>
struct tensor_shape<16> : tensor_shape_of<1, 1, 5, 5, 1, 4, 12> {
};
template <>
struct tensor_shape<32> : tensor_shape_of<3, 1, 3, 9, 1, 4, 4> {
};
template <>
struct tensor_shape<64> : tensor_shape_of<6, 2, 3, 9, 1, 8, 1> {
};
template <>
struct tensor_shape<128> : tensor_shape_of<11, 1, 3, 11, 3, 4, 1> {
};

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile along v.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * tensor_shape<Support>::warps,
                                  tensor_shape<Support>::resident)
    tensor_spread_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* values,
                         float2* grid)
{
    using s = tensor_shape<Support>;
    using namespace tensor;
    constexpr int threads = 32 * s::warps, slack = s::slack;
    constexpr int columns = 4 * s::fours_u * s::warps_u;
    constexpr int lines = 4 * s::fours_v * s::warps_v; // of a part
    // Visibilities that are placed at a time, and that are multiplied at a time.
    constexpr int batch = batch_of(Support, threads);
    using rows_type = kernel_rows<Support, slack, columns, lines * s::parts, threads>;
    constexpr int some = Interpolate ? int(rows_type::rows) : 32;
    __shared__ rows_type rows;
    __shared__ __align__(16) uint2 value_shared[2][batch][polarizations];
    __shared__ batch_places<batch, Interpolate> places[2];
    __shared__ float4 raw_values[batch][2];
    __shared__ __align__(16) double raw_places[batch][4];
    __shared__ float largest[2][s::warps];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int first_column = warp / s::warps_v * 4 * s::fours_u;
    const int first_line = warp % s::warps_v * 4 * s::fours_v + int(blockIdx.y) * lines;
    rows.clear();

    float sums[s::fours_u][s::fours_v][4];
    unsigned updates = 0;
    float scale = 0; // of sums: a power of two that brings values to at most 1
    const auto each_sum = [&](const auto& change) {
#pragma unroll
        for (int i = 0; i < s::fours_u; i++) {
#pragma unroll
            for (int j = 0; j < s::fours_v; j++) {
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    change(sums[i][j][n]);
                }
            }
        }
    };
    const auto clear_sums = [&] { each_sum([](float& x) { x = 0; }); };
    clear_sums();

    const std::size_t begin = blockIdx.x * w.chunk;
    const int count = int(begin + w.chunk < w.count ? w.chunk : w.count - begin);
    const bool reads = batch == threads || int(threadIdx.x) < batch;
    chunk_reader reader(w, begin, batch);
    const auto from =
        reinterpret_cast<const float4*>(values + reader.before() * polarizations);
    // A thread's visibility of the next batch comes to shared memory, where it alone reads it.
    const auto read = [&] {
        if (reads) {
            const float4* const x = from + 2 * reader.number();
            __pipeline_memcpy_async(&raw_values[threadIdx.x][0], x, sizeof(float4));
            __pipeline_memcpy_async(&raw_values[threadIdx.x][1], x + 1, sizeof(float4));
            reader.read_place(raw_places[threadIdx.x]);
            reader.go_on();
        }
        __pipeline_commit();
    };
    //! The largest of the values that a warp has read.
    const auto measure = [&] {
        __pipeline_wait_prior(0);
        float maximum = 0;
        if (reads) {
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const float4 x = raw_values[threadIdx.x][n];
                maximum = fmaxf(
                    maximum,
                    fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w))));
            }
        }
        return largest_of_warp(maximum);
    };
    const auto of_all_warps = [&](int slot) {
        float maximum = largest[slot][0];
        for (int n = 1; n < s::warps && 32 * n < batch; n++) {
            maximum = fmaxf(maximum, largest[slot][n]);
        }
        return maximum;
    };
    float next_scale = 0, inverse = 0; // of the batch that is placed
    const auto place = [&](int slot, float maximum) {
        if (maximum > next_scale) { // the tile goes on with the larger scale
            const float2 power = power_above(maximum);
            next_scale = power.x;
            inverse = power.y;
        }
        if (reads) {
            const double* const at = raw_places[threadIdx.x];
            const w_place x = place_of(w.g, at[0], at[1], at[2], at[3]);
            places[slot].template put<rows_type>(w.g, threadIdx.x, x);
            float2 phase = short_phase_of(x);
            phase.x *= inverse;
            phase.y *= inverse;
            // What imaginary parts are multiplied by.
            const float2 turned = x.conjugate ? make_float2(phase.y, -phase.x)
                                              : make_float2(-phase.y, phase.x);
            const auto scaled = [&](float re, float im) {
                const float a = re * phase.x + im * turned.x,
                            b = re * phase.y + im * turned.y;
                return make_uint2(word(__floats2half2_rn(a, b)),
                                  word(__floats2half2_rn(-b, a)));
            };
#pragma unroll
            for (int n = 0; n < 2; n++) {
                const float4 both = raw_values[threadIdx.x][n];
                const uint2 a = scaled(both.x, both.y), b = scaled(both.z, both.w);
                *reinterpret_cast<uint4*>(&value_shared[slot][threadIdx.x][2 * n]) =
                    make_uint4(a.x, a.y, b.x, b.y);
            }
        }
    };

    visibility_run run;
    //! Adds the tile to the grid.
    const auto flush = [&] {
        const int nu = int(w.g.nu), nv = int(w.g.nv);
        const bool odd = g % 2;
#pragma unroll
        for (int i = 0; i < s::fours_u; i++) {
            const int u =
                within(run.u + first_column + 4 * i + g / 4 + (odd ? 2 : 0), nu);
#pragma unroll
            for (int j = 0; j < s::fours_v; j++) {
                // Two lanes put two polarizations together, each for one cell.
                const float(&c)[4] = sums[i][j];
                const float x = __shfl_xor_sync(~0u, odd ? c[0] : c[2], 4);
                const float y = __shfl_xor_sync(~0u, odd ? c[1] : c[3], 4);
                float4 four =
                    odd ? make_float4(x, y, c[2], c[3]) : make_float4(c[0], c[1], x, y);
                if (four.x != 0 || four.y != 0 || four.z != 0 || four.w != 0) {
                    four.x *= scale;
                    four.y *= scale;
                    four.z *= scale;
                    four.w *= scale;
                    const int v = within(run.v + first_line + 4 * j + t, nv);
                    float2* const cell =
                        grid + (std::size_t(v) * nu + u) * polarizations + g % 4 / 2 * 2;
#if __CUDA_ARCH__ >= 900
                    atomicAdd(reinterpret_cast<float4*>(cell), four);
#else
                    atomicAdd(&cell[0].x, four.x);
                    atomicAdd(&cell[0].y, four.y);
                    atomicAdd(&cell[1].x, four.z);
                    atomicAdd(&cell[1].y, four.w);
#endif
                    updates += g % 4 < 2;
                }
            }
        }
        clear_sums();
    };

    //! Adds visibilities to the tile: those from number `first` of a batch on, of which the
    //! first `ready` of `some` are there.
    const auto multiply = [&](int slot, int first, int ready) {
        const int k = first + lane % some;
        const int2 cell = places[slot].first[k];
        const unsigned plane = places[slot].plane[k];
        const uint2 row =
            Interpolate ? make_uint2(lane % some, lane % some) : places[slot].lines[k];
        for (int start = 0, stop; start < ready; start = stop) {
            bool has_rows = Interpolate || run.has_plane(plane);
            if (!Interpolate &&
                same_for_all(__ballot_sync(~0u, lane == start && !has_rows))) {
                const unsigned missing = __shfl_sync(~0u, plane, start);
                arrive<s::warps>();
                rows.load(tables, missing);
                arrive<s::warps>();
                run.take_plane(missing);
                has_rows = run.has_plane(plane);
            }
            int2 tile;
            if (run.next_piece(slack, start, ready, cell, has_rows, stop, tile)) {
                if (run.any) {
                    flush();
                }
                run.u = tile.x;
                run.v = tile.y;
                run.any = true;
            }
            // Bytes to where the tile begins in the rows of the lane's visibility, along v and
            // along u; `elsewhere`: it is not of this piece.
            constexpr unsigned elsewhere = 0x8000;
            const unsigned offsets =
                lane >= start && lane < stop
                    ? (row.y * rows_type::v_row + 2 * (slack + run.v - cell.y)) << 18 |
                          (row.x * rows_type::u_row + slack + run.u - cell.x) << 2
                    : elsewhere;
            const auto u_bytes =
                reinterpret_cast<const char*>(&rows.u[first_column + g / 4]);
            const auto v_bytes =
                reinterpret_cast<const char*>(&rows.v[2 * first_line + g]);
            const uint2* const value = &value_shared[slot][first + t][g % 4];
#pragma unroll 1
            for (int q = start / 8; 8 * q < stop; q++) {
                const unsigned o0 = __shfl_sync(~0u, offsets, 8 * q + t);
                const unsigned o1 = __shfl_sync(~0u, offsets, 8 * q + 4 + t);
                uint2 value0 = value[8 * q * polarizations];
                uint2 value1 = value[(8 * q + 4) * polarizations];
                if (o0 & elsewhere) {
                    value0 = make_uint2(0, 0);
                }
                if (o1 & elsewhere) {
                    value1 = make_uint2(0, 0);
                }
                const auto ku0 =
                    reinterpret_cast<const unsigned*>(u_bytes + (o0 & 0x7fff));
                const auto ku1 =
                    reinterpret_cast<const unsigned*>(u_bytes + (o1 & 0x7fff));
                const auto kv0 = reinterpret_cast<const unsigned*>(v_bytes + (o0 >> 16));
                const auto kv1 = reinterpret_cast<const unsigned*>(v_bytes + (o1 >> 16));
                unsigned b[s::fours_v][2];
#pragma unroll
                for (int j = 0; j < s::fours_v; j++) {
                    b[j][0] = kv0[8 * j];
                    b[j][1] = kv1[8 * j];
                }
                // Kernels along u leave shared memory one step before they are multiplied.
                unsigned ku[4] = {ku0[0], ku0[2], ku1[0], ku1[2]};
#pragma unroll
                for (int i = 0; i < s::fours_u; i++) {
                    const unsigned a[4] = {tensor::times(ku[0], value0),
                                           tensor::times(ku[1], value0),
                                           tensor::times(ku[2], value1),
                                           tensor::times(ku[3], value1)};
                    if (i + 1 < s::fours_u) {
                        ku[0] = ku0[4 * i + 4];
                        ku[1] = ku0[4 * i + 6];
                        ku[2] = ku1[4 * i + 4];
                        ku[3] = ku1[4 * i + 6];
                    }
#pragma unroll
                    for (int j = 0; j < s::fours_v; j++) {
                        multiply_add(sums[i][j], a, b[j][0], b[j][1]);
                    }
                }
            }
        }
    };

    read();
    float maximum = measure();
    if (s::warps > 1) {
        if (lane == 0) {
            largest[0][warp] = maximum;
        }
        arrive<s::warps>();
        maximum = of_all_warps(0);
    }
    place(0, maximum);
    read();
    int slot = 0, first = 0;
#pragma unroll 1
    for (int left = count; left > 0; left -= some) {
        if (first == 0) {
            if (next_scale > scale) {
                const float by = scale * inverse;
                each_sum([&](float& x) { x *= by; });
                scale = next_scale;
            }
            maximum = measure();
            if (s::warps > 1 && lane == 0) {
                largest[slot ^ 1][warp] = maximum;
            }
            arrive<s::warps>();
            // While this batch is multiplied, the one after the next comes from memory.
            place(slot ^ 1, s::warps > 1 ? of_all_warps(slot ^ 1) : maximum);
            read();
        }
        if (Interpolate) {
            arrive<s::warps>();
            rows.interpolate_all(
                w.g, tables, places[slot].lines + first, places[slot].weights + first);
            arrive<s::warps>();
        }
        multiply(slot, first, min(left, some));
        first += some;
        if (first == batch) {
            first = 0;
            slot ^= 1;
        }
    }
    if (run.any) {
        flush();
    }
    __pipeline_wait_prior(0);
    if (w.updates) {
        atomicAdd(w.updates, static_cast<unsigned long long>(updates));
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_SPREAD_CUH */
