/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_GATHER_CUH
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_GATHER_CUH

#include "kernels/gridder/wprojection/cuda/tensor_runs.cuh"

namespace gr::fringe::kernels {

/*!
 * The reverse of tensor_spread_kernel: a tile of the grid is in registers as halves, and
 *
 *     V[polarization] = sum over u of ku[u] (sum over v of kv[v] tile[v][u, polarization]).
 *
 * The inner sum is a product of matrices: a multiplication takes 8 visibilities, two rows each,
 * (Re kv, -Im kv) and (Im kv, Re kv), eight lines of the tile, and two cells along u with 4
 * polarizations. The outer one is left to the threads, each of which has a visibility, one of
 * the two cells and two polarizations, and goes over the warps in shared memory.
 */
template <int Support>
struct gather_shape;
template <int Warps, int Pairs, int Parts, int Slack, int Resident>
struct gather_shape_of {
    static constexpr int warps = Warps;
    static constexpr int pairs = Pairs; // of cells along u, of a warp
    static constexpr int parts = Parts; // blocks along u
    static constexpr int slack = Slack;
    static constexpr int resident = Resident; // blocks on a multiprocessor
};
template <>
struct gather_shape<8> : gather_shape_of<1, 6, 1, 4, 16> {
};
template <>
struct gather_shape<16> : gather_shape_of<1, 10, 1, 4, 12> {
};
template <>
struct gather_shape<32> : gather_shape_of<3, 6, 1, 4, 4> {
};
template <>
struct gather_shape<64> : gather_shape_of<12, 3, 1, 8, 1> {
};
template <>
struct gather_shape<128> : gather_shape_of<11, 3, 2, 4, 1> {
};

//! blockIdx.x: chunks of visibilities, blockIdx.y: parts of the tile along u, whose sums are
//! added up in memory: there values are 0 beforehand.
template <int Support, bool Interpolate>
__global__ void __launch_bounds__(32 * gather_shape<Support>::warps,
                                  gather_shape<Support>::resident)
    tensor_gather_kernel(const convolver_work w,
                         const tensor_tables tables,
                         const float2* grid,
                         float2* values)
{
    using s = gather_shape<Support>;
    using namespace tensor;
    constexpr int threads = 32 * s::warps, slack = s::slack;
    constexpr int lines = Support + slack, fours_v = lines / 4;
    constexpr int columns = 2 * s::pairs * s::warps; // of a part
    // Visibilities that are placed at a time, and that are multiplied at a time.
    constexpr int batch = batch_of(Support, threads);
    using rows_type = kernel_rows<Support, slack, columns * s::parts, lines, threads>;
    // Large tiles leave no memory for more sums, and no registers for a second try of a scale.
    constexpr bool large = Support > 64;
    constexpr int some = Interpolate || large ? int(rows_type::rows) : 32;
    // Sums of many warps take much memory: then those of one step wait for the one before.
    constexpr int sum_sets = s::warps > 6 && !large ? 1 : 2;
    __shared__ rows_type rows;
    __shared__ batch_places<batch, Interpolate> places[2];
    __shared__ __align__(16) double raw_places[batch][4];
    //! Phase, number of the visibility, and what its imaginary part is negated by.
    __shared__ uint4 outcomes[2][batch];
    __shared__ float2 sums[sum_sets][s::warps][s::warps > 1 ? some : 1][polarizations];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4,
              t = lane % 4;
    const int first_column = int(blockIdx.y) * columns + warp * 2 * s::pairs;
    rows.clear();

    const std::size_t begin = blockIdx.x * w.chunk;
    const int count = int(begin + w.chunk < w.count ? w.chunk : w.count - begin);
    const bool reads = batch == threads || int(threadIdx.x) < batch;
    chunk_reader reader(w, begin, batch);
    float2* const to = values + reader.before() * polarizations;
    unsigned number = 0;
    // A thread's place of the next batch comes to shared memory, where it alone reads it.
    const auto read = [&] {
        if (reads) {
            number = reader.number();
            reader.read_place(raw_places[threadIdx.x]);
            reader.go_on();
        }
        __pipeline_commit();
    };
    const auto place = [&](int slot) {
        __pipeline_wait_prior(0);
        if (reads) {
            const double* const at = raw_places[threadIdx.x];
            const w_place x = place_of(w.g, at[0], at[1], at[2], at[3]);
            places[slot].template put<rows_type>(w.g, threadIdx.x, x);
            const float2 phase = short_phase_of(x);
            outcomes[slot][threadIdx.x] = make_uint4(__float_as_uint(phase.x),
                                                     __float_as_uint(phase.y),
                                                     number,
                                                     x.conjugate ? 0x80000000u : 0);
        }
    };
    const auto finish = [&](float2 sum, uint4 outcome, int p) {
        float2 value = kernels::times(
            sum, make_float2(__uint_as_float(outcome.x), __uint_as_float(outcome.y)));
        value.y = __uint_as_float(__float_as_uint(value.y) ^ outcome.w);
        float2* const here = to + outcome.z * polarizations + p;
        if (s::parts == 1) {
            *here = value;
        } else {
            atomicAdd(&here->x, value.x);
            atomicAdd(&here->y, value.y);
        }
    };

    unsigned tile[s::pairs][fours_v];
    float scale = 1, inverse = 1; // powers of two, of a warp
    visibility_run run;
    //! Brings a tile into registers. Halves are as exact as they can be where the largest value
    //! of the tile is between 2^-4 and 2^10 times the scale.
    const auto load = [&] {
        const int nu = int(w.g.nu), nv = int(w.g.nv);
        //! The value of the tile at line `line` of pair i, for the column of this lane.
        const auto point = [&](int i, int line) {
            const int u = within(run.u + first_column + 2 * i + g / 4, nu);
            const int v = within(run.v + line, nv);
            return __ldg(grid + (std::size_t(v) * nu + u) * polarizations + g % 4);
        };
        if constexpr (large) {
            float maximum = 0;
#pragma unroll 1
            for (int i = 0; i < s::pairs; i++) {
#pragma unroll
                for (int j = 0; j < fours_v; j++) {
                    const float2 x = point(i, 4 * j + t);
                    maximum = fmaxf(maximum, fmaxf(fabsf(x.x), fabsf(x.y)));
                }
            }
            const float2 power = power_above(largest_of_warp(maximum));
            scale = power.x;
#pragma unroll
            for (int i = 0; i < s::pairs; i++) {
#pragma unroll
                for (int j = 0; j < fours_v; j++) {
                    const float2 x = point(i, 4 * j + t);
                    tile[i][j] = word(__floats2half2_rn(x.x * power.y, x.y * power.y));
                }
                // No more loads at a time than there are registers for.
                asm volatile("" ::: "memory");
            }
        } else {
            // Once more where the last tile's scale does not do, which is seldom.
#pragma unroll 1
            for (bool good = false; !good;) {
                float maximum = 0;
#pragma unroll
                for (int i = 0; i < s::pairs; i++) {
#pragma unroll
                    for (int j = 0; j < fours_v; j++) {
                        const float2 x = point(i, 4 * j + t);
                        maximum = fmaxf(maximum, fmaxf(fabsf(x.x), fabsf(x.y)));
                        tile[i][j] =
                            word(__floats2half2_rn(x.x * inverse, x.y * inverse));
                    }
                    asm volatile("" ::: "memory");
                }
                maximum = largest_of_warp(maximum);
                const float part = maximum * inverse;
                const float2 power = power_above(maximum);
                good = (part >= 0x1p-4f && part <= 0x1p10f) || inverse == power.y;
                if (!good) {
                    scale = power.x;
                    inverse = power.y;
                }
            }
        }
    };

    //! Takes visibilities from the tile: those from number `first` of a batch on, of which the
    //! first `ready` of `some` are there.
    const auto multiply = [&](int slot, int first, int half, int ready) {
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
            int2 new_tile;
            if (run.next_piece(slack, start, ready, cell, has_rows, stop, new_tile)) {
                run.u = new_tile.x;
                run.v = new_tile.y;
                run.any = true;
                load();
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
                reinterpret_cast<const char*>(&rows.u[first_column + t / 2]);
            const auto v_bytes = reinterpret_cast<const char*>(&rows.v[2 * t]);
#pragma unroll 1
            for (int q = start / 8; 8 * q < stop; q++) {
                const unsigned o = __shfl_sync(~0u, offsets, 8 * q + g);
                const auto ku = reinterpret_cast<const unsigned*>(u_bytes + (o & 0x7fff));
                const auto kv = reinterpret_cast<const uint2*>(v_bytes + (o >> 16));
                float2 sum0 = make_float2(0, 0), sum1 = sum0; // of two polarizations
                const auto add = [&](int i, const float(&c)[4]) {
                    const float2 k = __half22float2(halves(ku[2 * i]));
                    sum0.x += k.x * c[0] - k.y * c[2];
                    sum0.y += k.x * c[2] + k.y * c[0];
                    sum1.x += k.x * c[1] - k.y * c[3];
                    sum1.y += k.x * c[3] + k.y * c[1];
                };
                const auto add_lines = [&](float(&c)[4], int i, int j, uint2 a, uint2 b) {
                    const unsigned both[4] = {a.x, a.y, b.x, b.y};
                    multiply_add(c, both, tile[i][j], tile[i][j + 1]);
                };
                if (fours_v <= 2 * s::pairs) { // the kernels stay in registers
                    uint2 a[fours_v];
#pragma unroll
                    for (int j = 0; j < fours_v; j++) {
                        a[j] = kv[4 * j];
                    }
#pragma unroll
                    for (int i = 0; i < s::pairs; i++) {
                        float c[4] = {};
#pragma unroll
                        for (int j = 0; j + 1 < fours_v; j += 2) {
                            add_lines(c, i, j, a[j], a[j + 1]);
                        }
                        if (fours_v % 2) {
                            const int j = fours_v - 1;
                            multiply_add(c, a[j].x, a[j].y, tile[i][j]);
                        }
                        add(i, c);
                    }
                } else { // the sums do
                    float c[s::pairs][4] = {};
#pragma unroll
                    for (int j = 0; j + 1 < fours_v; j += 2) {
                        const uint2 a = kv[4 * j], b = kv[4 * j + 4];
#pragma unroll
                        for (int i = 0; i < s::pairs; i++) {
                            add_lines(c[i], i, j, a, b);
                        }
                    }
                    if (fours_v % 2) {
                        const int j = fours_v - 1;
                        const uint2 a = kv[4 * j];
#pragma unroll
                        for (int i = 0; i < s::pairs; i++) {
                            multiply_add(c[i], a.x, a.y, tile[i][j]);
                        }
                    }
#pragma unroll
                    for (int i = 0; i < s::pairs; i++) {
                        add(i, c[i]);
                    }
                }
                // Two lanes have the two cells of each pair. One of them goes on with the
                // first polarization, the other with the second.
                const bool second = t / 2;
                float2 mine = second ? sum1 : sum0, other = second ? sum0 : sum1;
                other.x = __shfl_xor_sync(~0u, other.x, 2);
                other.y = __shfl_xor_sync(~0u, other.y, 2);
                mine.x = (mine.x + other.x) * scale;
                mine.y = (mine.y + other.y) * scale;
                const int p = t % 2 * 2 + (second ? 1 : 0);
                if (!(o & elsewhere)) {
                    if (s::warps == 1) {
                        finish(mine, outcomes[slot][first + 8 * q + g], p);
                    } else {
                        sums[half][warp][8 * q + g][p] = mine;
                    }
                }
            }
        }
    };
    //! Adds up what the warps have.
    const auto add_warps = [&](int slot, int first, int half, int ready) {
        for (int n = threadIdx.x; n < ready * polarizations; n += threads) {
            const int k = n / polarizations, p = n % polarizations;
            float2 sum = sums[half][0][k][p];
#pragma unroll
            for (int other = 1; other < s::warps; other++) {
                sum.x += sums[half][other][k][p].x;
                sum.y += sums[half][other][k][p].y;
            }
            finish(sum, outcomes[slot][first + k], p);
        }
    };

    read();
    place(0);
    read();
    int slot = 0, first = 0, half = 0;
#pragma unroll 1
    for (int left = count; left > 0; left -= some) {
        if (first == 0) {
            arrive<s::warps>();
            // While this batch is multiplied, the one after the next comes from memory.
            place(slot ^ 1);
            read();
        }
        if (Interpolate) {
            arrive<s::warps>();
            rows.interpolate_all(
                w.g, tables, places[slot].lines + first, places[slot].weights + first);
            arrive<s::warps>();
        }
        const int ready = min(left, some);
        multiply(slot, first, half, ready);
        if (s::warps > 1) {
            arrive<s::warps>();
            add_warps(slot, first, half, ready);
            if (sum_sets == 1) {
                arrive<s::warps>();
            } else {
                half ^= 1;
            }
        }
        first += some;
        if (first == batch) {
            first = 0;
            slot ^= 1;
        }
    }
    __pipeline_wait_prior(0);
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_TENSOR_GATHER_CUH */
