/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_PRODUCER_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_PRODUCER_CUH

#include "kernels/xengine/cuda/tiles_large_jobs.cuh"

namespace gr::fringe::kernels::large {

#if defined(FRINGE_HOPPER)

//! One thread that draws jobs and brings what they need.
struct producer : worker {
    __device__ void draw_job()
    {
        int n = atomicAdd(task.next_job, 1) - task.first_job;
        if (unpack_job(n) && job.what == kind::full) {
            const int pieces = (task.plan.groups + 15) / 16; // of 128 inputs
            const auto w = task.wrapped + static_cast<std::size_t>(channel) * pieces;
            const int a = 2 * job.a, b = 2 * job.b;
            if (w[a] | w[a + 1] | w[b] | (b + 1 < pieces ? w[b + 1] : 0)) {
                n |= wrapped_bit;
            }
        }
        wait(&r.job_read[slot.stage], slot.phase ^ 1);
        for (int k = 0; k < sharing; k++) {
            tell(&r.job[slot.stage], n, &r.job_known[slot.stage], k);
        }
    }

    //! Rows of both sides, of which this thread block brings a share of b to both: where they
    //! begin in a group of 128 spectra, and bytes.
    struct sides {
        unsigned a, b;
        unsigned a_bytes, b_bytes, share, share_bytes;
    };

    __device__ void produce()
    {
        constexpr int group = tile_layout::group;
        while (true) {
            if (rank == 0) {
                draw_job();
            }
            if (!take_job(true)) {
                break;
            }
            constexpr int whole = tile_plan::block_groups, half = tile_plan::half_groups;
            const int at_a = job.a * whole + rank * half, at_b = job.b * whole;
            const int a_groups = min(half, task.plan.row_groups() - at_a);
            const int b_groups = min(whole, task.plan.row_groups() - at_b);
            sides s;
            s.a_bytes = max(a_groups, 0) * group;
            s.b_bytes = b_groups * group;
            s.share = rank * half * group;
            s.share_bytes = max(min(half, b_groups - rank * half), 0) * group;
            const int all = passes(job.what, task.plan.three, wrapped);
#pragma unroll 1
            for (int pass = 0; pass < all; pass++) {
                const int pa = plane(job.what, wrapped, pass, 0);
                const int pb = plane(job.what, wrapped, pass, 1);
                s.a = (pa * task.plan.groups + at_a) * group;
                s.b = (pb * task.plan.groups + at_b) * group;
                produce_pass(s);
            }
        }
    }
    __device__ void produce_pass(const sides& s)
    {
        const int in_block = static_cast<int>(task.layout.time_groups());
        const int at = task.first + group_of(0), count = pass_stages();
        int block = at / in_block, group = at % in_block;
        const std::int8_t* from = task.slab_of(channel, block, group);
#pragma unroll 1
        for (int n = 0; n < count; n++) {
            wait(&r.empty[place.stage], place.phase ^ 1);
            std::uint64_t* const full = &r.full[place.stage];
            char* const to_a = bytes + place.stage * stage_bytes;
            char* const to_b = to_a + side_bytes;
            if (!alone()) {
                arrive_and_expect(full, s.a_bytes + s.b_bytes);
                if (s.a_bytes > 0) {
                    bulk_copy(to_a, from + s.a, s.a_bytes, full);
                }
                if (s.share_bytes > 0) {
                    bulk_copy_to_both(
                        to_b + s.share, from + s.b + s.share, s.share_bytes, full);
                }
            } else if (group_of(n) < end) {
                arrive_and_expect(full, s.b_bytes);
                bulk_copy(to_b, from + s.b, s.b_bytes, full);
            } else {
                arrive(full);
            }
            from += task.slab_bytes();
            if (++group == in_block) {
                group = 0;
                from = task.slab_of(channel, ++block, 0);
            }
            place.advance();
        }
    }
};

#endif

} // namespace gr::fringe::kernels::large

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_PRODUCER_CUH */
