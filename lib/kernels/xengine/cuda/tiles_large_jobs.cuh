/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_JOBS_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_JOBS_CUH

#include "kernels/xengine/cuda/tiles_kernels.h"
#include "kernels/xengine/cuda/tiles_products.cuh"

namespace gr::fringe::kernels::large {

using kind = tile_job::kind;

// A stage holds 128 rows and a block of 256 rows, 128 spectra of each.
constexpr int stages = 4;
constexpr int side_bytes = 16384;
[[maybe_unused]] constexpr int part_bytes = side_bytes / 2; // 64 rows
constexpr int stage_bytes = 3 * side_bytes;
constexpr int threads = 3 * warpgroup; // a producer and two consumers
constexpr int job_slots = 2;

struct ring {
    std::uint64_t full[stages], empty[stages];
    std::uint64_t job_known[job_slots], job_read[job_slots];
    int job[job_slots];
};
// Behind the stages the sums of some registers on their way out, for each warpgroup.
constexpr int registers_out = 32;
constexpr int out_bytes = registers_out * warpgroup * 4;
constexpr int shared_bytes = stages * stage_bytes + 2 * out_bytes + 1024 + sizeof(ring);

#if defined(FRINGE_HOPPER)

using namespace hopper;

__device__ inline int passes(kind what, bool three, bool wrapped)
{
    return what == kind::full ? 3 + wrapped : what == kind::diagonal && three ? 2 : 1;
}

//! The plane of one side in a pass over time; R and I are crossed in the first two.
__device__ inline int plane(kind what, bool wrapped, int pass, int side)
{
    if (what == kind::full) {
        return pass < 2 ? (pass + side + 1) % 2 : wrapped ? pass - 2 : 2;
    }
    return what == kind::cross ? 1 - side : pass;
}

//! A thread's place in the stream of jobs and in the ring of stages.
struct worker {
    const large_task& task;
    ring& r;
    char* const bytes;       //!< of the stages
    const int sharing, rank; //!< thread blocks that share a job, and which one this is
    ring_place<stages> place;
    ring_place<job_slots> slot;

    tile_job job;
    int channel, begin, end;
    bool wrapped;

    // Jobs. The producer of the first thread block draws them for all.

    static constexpr int wrapped_bit = 1 << 30;

    __device__ bool unpack_job(int n)
    {
        const int jobs = task.plan.jobs();
        wrapped = n & wrapped_bit;
        n &= ~wrapped_bit;
        job = task.plan.job(n % jobs);
        n /= jobs;
        const int segment = n % task.segments;
        channel = n / task.segments;
        begin = task.begin(segment);
        end = task.begin(segment + 1);
        return channel < static_cast<int>(task.layout.channels);
    }

    //! All lanes of a warp, or the only one of a producer.
    __device__ bool take_job(bool signal)
    {
        wait_for_phase(&r.job_known[slot.stage], slot.phase);
        const bool more = unpack_job(r.job[slot.stage]);
        __syncwarp(__activemask());
        if (signal) {
            arrive_in(&r.job_read[slot.stage], 0);
        }
        slot.advance();
        return more;
    }

    // Stages of a pass. Both thread blocks have as many: of a block by itself each takes
    // half of the time, and one perhaps a group beyond the end.

    __device__ bool alone() const { return job.what == kind::diagonal; }
    __device__ int pass_stages() const
    {
        return alone() ? (end - begin + sharing - 1) / sharing : end - begin;
    }
    __device__ int group_of(int stage) const
    {
        return begin + stage + (alone() ? rank * pass_stages() : 0);
    }

    //! Those of the job that belong to this thread block.
    __device__ std::int32_t* sums() const
    {
        return task.sums + channel * task.plan.sums() +
               (alone() ? task.plan.within(job.b, rank)
                        : task.plan.between(job.a, rank, job.b));
    }
};

#endif

} // namespace gr::fringe::kernels::large

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_LARGE_JOBS_CUH */
