/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_CONSUMER_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_CONSUMER_CUH

#include "kernels/xengine/cuda/tiles_large_jobs.cuh"

namespace gr::fringe::kernels::large {

#if defined(FRINGE_HOPPER)

//! A warpgroup that multiplies 64 rows and adds the products to the sums.
struct consumer : worker {
    //! multiply_stage(bytes, number) for every stage of a pass that holds spectra.
    template <class F>
    __device__ void each_stage(const F& multiply_stage)
    {
        const int count = min(pass_stages(), end - group_of(0));
        int before = -1;
#pragma unroll 1
        for (int n = 0; n < count; n++) {
            wait(&r.full[place.stage], place.phase);
            begin_products();
            multiply_stage(bytes + place.stage * stage_bytes, n);
            commit_products();
            wait_for_products<1>();
            release(before);
            before = place.stage;
            place.advance();
        }
        wait_for_products<0>();
        release(before);
        for (int n = max(count, 0); n < pass_stages(); n++) {
            wait(&r.full[place.stage], place.phase);
            release(place.stage);
            place.advance();
        }
    }
    //! Both thread blocks write to a stage of both.
    __device__ void release(int stage)
    {
        const int lane = threadIdx.x % 32;
        if (stage >= 0 && lane < sharing) {
            arrive_in(&r.empty[stage], lane);
        }
    }

    //! Adds to the sums those from First on.
    template <int Part, int First = 0, int Count>
    __device__ void add(std::int32_t* to, const int (&sums)[Count])
    {
#pragma unroll
        for (int k = First; k < Count; k += registers_out) {
            int out[registers_out];
#pragma unroll
            for (int m = 0; m < registers_out; m++) {
                out[m] = sums[k + m];
            }
            send<Part>(to + k * warpgroup, out);
        }
    }
    /*!
     * The copy engine adds them while the products go on. (Atomic additions and loads and
     * stores of the threads take a fifth of the time, for which the tensor cores stand
     * still.)
     */
    template <int Part>
    __device__ void send(std::int32_t* to, const int (&sums)[registers_out])
    {
        const int thread = threadIdx.x % warpgroup;
        if (task.fresh) {
            to += thread;
            keep_base(to);
#pragma unroll
            for (int k = 0; k < registers_out; k++) {
                __stcg(to + k * warpgroup, sums[k]);
            }
            return;
        }
        const auto out = reinterpret_cast<std::int32_t*>(bytes + stages * stage_bytes +
                                                         Part * out_bytes);
        if (thread == 0) {
            wait_for_reads();
        }
        synchronize_warpgroup(Part + 1);
#pragma unroll
        for (int k = 0; k < registers_out; k++) {
            out[k * warpgroup + thread] = sums[k];
        }
        publish_stores();
        synchronize_warpgroup(Part + 1);
        if (thread == 0) {
            bulk_add(to, out, out_bytes);
        }
    }
    //! Keeps the compiler from working out all addresses beforehand.
    template <class T>
    __device__ static void keep_base(T*& p)
    {
        asm volatile("" : "+l"(p));
    }

    /*!
     * Parts P and 3 - P of a block by itself, from about the diagonal on. (Part 1 begins
     * 64 columns before it: sums in other shapes than those of square() together with
     * them take ptxas more registers than there are.)
     */
    template <int P>
    __device__ void diagonal(std::int32_t* to)
    {
        constexpr int q = 3 - P;
        // All zero for the one that has no spectra of its own.
        int upper[128] = {}, lower[128 - 32 * q] = {};
        const int all = passes(kind::diagonal, task.plan.three, false);
#pragma unroll 1
        for (int pass = 0; pass < all; pass++) {
            each_stage([&](const char* s, int n) {
                const char* const rows = s + side_bytes;
                const auto a = matrix_descriptor(rows + P * part_bytes);
                const auto b = matrix_descriptor(rows);
                const auto c = matrix_descriptor(rows + q * part_bytes);
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const auto at = k * descriptor_step;
                    const bool keep = pass + n + k > 0;
                    multiply(upper, a + at, b + at, keep);
                    multiply(lower, c + at, c + at, keep);
                }
            });
            settle(upper);
            settle(lower);
        }
        add<P, 32 * P>(to, upper); // before is nothing but what is below the diagonal
        add<P>(to + 128 * warpgroup, lower);
    }

    //! 64 rows by a block, pass after pass.
    template <int Part>
    __device__ void square(std::int32_t* to)
    {
        int sums[128];
        const int all = passes(job.what, task.plan.three, wrapped);
#pragma unroll 1
        for (int pass = 0; pass < all; pass++) {
            const bool go_on = wrapped ? pass % 2 == 1 : pass == 2;
            each_stage([&](const char* s, int n) {
                const auto a = matrix_descriptor(s + Part * part_bytes);
                const auto b = matrix_descriptor(s + side_bytes);
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    const auto at = k * descriptor_step;
                    multiply(sums, a + at, b + at, go_on || n + k > 0);
                }
            });
            settle(sums);
            if (pass == all - 1) {
                add<Part>(to, sums);
            } else if (wrapped) {
                if (pass < 2) {
                    negate(sums);
                }
                if (pass == 1) {
                    add<Part>(to + tile_plan::square, sums);
                }
            } else if (pass == 0) {
                put_aside(sums, Part);
            } else {
                combine<Part>(to + tile_plan::square, sums);
            }
        }
    }
    __device__ static void negate(int (&sums)[128])
    {
#pragma unroll
        for (int k = 0; k < 128; k++) {
            sums[k] = -sums[k];
        }
    }

    __device__ int4* stash(int part)
    {
        return task.stash + (blockIdx.x * 2 + part) * (32 * warpgroup) +
               threadIdx.x % warpgroup;
    }
    __device__ void put_aside(const int (&sums)[128], int part)
    {
        int4* to = stash(part);
        keep_base(to);
#pragma unroll
        for (int k = 0; k < 32; k++) {
            const int n = 4 * k;
            __stcg(to + k * warpgroup,
                   make_int4(sums[n], sums[n + 1], sums[n + 2], sums[n + 3]));
        }
    }
    //! From I R^T, put aside, and R I^T: their difference to the imaginary parts, minus
    //! their sum to begin the real parts with.
    template <int Part>
    __device__ void combine(std::int32_t* im, int (&sums)[128])
    {
        const int4* from = stash(Part);
        keep_base(from);
#pragma unroll
        for (int k = 0; k < 128; k += registers_out) {
            int out[registers_out];
#pragma unroll
            for (int m = 0; m < registers_out; m += 4) {
                const int4 p = __ldcg(from + (k + m) / 4 * warpgroup);
                out[m] = p.x;
                out[m + 1] = p.y;
                out[m + 2] = p.z;
                out[m + 3] = p.w;
            }
#pragma unroll
            for (int m = 0; m < registers_out; m++) {
                const int first = out[m], second = sums[k + m];
                out[m] = first - second;
                sums[k + m] = -first - second;
            }
            send<Part>(im + k * warpgroup, out);
        }
    }

    template <int Part>
    __device__ void consume()
    {
        constexpr std::size_t square_part = tile_plan::square / 2;
        constexpr std::size_t diagonal_part = tile_plan::diagonal / 2;
        while (take_job(threadIdx.x % 32 == 0)) {
            if (alone()) {
                diagonal<Part>(sums() + Part * diagonal_part);
            } else {
                square<Part>(sums() + Part * square_part);
            }
        }
        wait_for_additions();
    }
};

#endif

} // namespace gr::fringe::kernels::large

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_CONSUMER_CUH */
