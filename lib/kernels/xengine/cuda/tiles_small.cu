/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_kernels.h"
#include "kernels/xengine/cuda/tiles_products.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

// Memory is the limit here: a ring of many bytes in flight, each copy as long as possible.
constexpr int stages = 6;
constexpr int stage_bytes = 32768;
constexpr int threads = 3 * warpgroup; // a producer and two consumers

struct ring {
    std::uint64_t full[stages], empty[stages];
};
// Products of whole 64 rows read beyond the last row.
constexpr int slack_bytes = 16384;
constexpr int shared_bytes = stages * stage_bytes + slack_bytes + 1024 + sizeof(ring);

#if defined(FRINGE_HOPPER)

using namespace hopper;

struct worker {
    const tile_task& task;
    ring& r;
    char* const bytes;
    ring_place<stages> place;

    __device__ int slab_bytes() const
    {
        return static_cast<int>(task.layout.slab_groups() * tile_layout::group);
    }
    //! Groups of 128 spectra in a stage.
    __device__ int depth() const { return stage_bytes / slab_bytes(); }

    //! each(channel, first group, groups) for the stages of all jobs of this block, and
    //! done(channel) after each job.
    template <class Each, class Done>
    __device__ void all_jobs(const Each& each, const Done& done)
    {
        const int jobs = static_cast<int>(task.layout.channels) * task.segments;
        const int step = depth();
#pragma unroll 1
        for (int n = blockIdx.x; n < jobs; n += gridDim.x) {
            const int channel = n / task.segments, segment = n % task.segments;
            const int end = task.begin(segment + 1);
#pragma unroll 1
            for (int g = task.begin(segment); g < end; g += step) {
                each(channel, g, min(step, end - g));
                place.advance();
            }
            done(channel);
        }
    }

    __device__ void produce()
    {
        all_jobs(
            [&](int channel, int g, int groups) {
                wait(&r.empty[place.stage], place.phase ^ 1);
                const unsigned count = groups * slab_bytes();
                arrive_and_expect(&r.full[place.stage], count);
                bulk_copy(bytes + place.stage * stage_bytes,
                          task.slab(channel, g),
                          count,
                          &r.full[place.stage]);
            },
            [](int) {});
    }

    //! The stack of R and I by itself, First times 2 columns and for more than 64 rows 64
    //! of the next; the warpgroups take groups in turn.
    template <int First, bool Second>
    __device__ void consume(int part)
    {
        int upper[First] = {};
        int lower[Second ? 32 : 1] = {};
        const int slab = slab_bytes();
        all_jobs(
            [&](int, int, int groups) {
                wait(&r.full[place.stage], place.phase);
                const char* const s = bytes + place.stage * stage_bytes;
#pragma unroll 1
                for (int g = part; g < groups; g += 2) {
                    begin_products();
                    const auto a = matrix_descriptor(s + g * slab);
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        const auto at = a + k * descriptor_step;
                        multiply(upper, at, at, 1);
                        if constexpr (Second) {
                            const auto below = at + (8192 >> 4);
                            multiply(lower, below, below, 1);
                        }
                    }
                    commit_products();
                }
                wait_for_products<0>();
                if (threadIdx.x % 32 == 0) {
                    arrive(&r.empty[place.stage]);
                }
            },
            [&](int channel) {
                const small_plan plan{static_cast<int>(task.layout.input_groups())};
                auto to = task.sums + channel * plan.sums();
                settle(upper);
                add(to, upper, plan.rows());
                if constexpr (Second) {
                    settle(lower);
                    add(to + First * warpgroup, lower, plan.rows() - 64);
                }
            });
    }

    //! What is on or above the diagonal and not beyond the last row; then it is zero.
    template <int Count>
    __device__ static void add(std::int32_t* to, int (&sums)[Count], int rows)
    {
        const int thread = threadIdx.x % warpgroup, row = thread / 32 * 16;
        to += thread;
#pragma unroll
        for (int k = 0; k < Count; k++) {
            const int column = k / 4 * 8;
            if (row < rows && column < rows && column >= row) {
                atomicAdd(to + k * warpgroup, sums[k]);
            }
            sums[k] = 0;
        }
    }
};

#endif

template <int First, bool Second>
__global__ void __launch_bounds__(threads, 1)
    multiply_small(const __grid_constant__ tile_task task)
{
#if defined(FRINGE_HOPPER)
    extern __shared__ char memory[];
    char* const bytes = memory + (1024 - shared_address(memory) % 1024) % 1024;
    ring& r = *reinterpret_cast<ring*>(bytes + stages * stage_bytes + slack_bytes);
    if (threadIdx.x == 0) {
        for (int k = 0; k < stages; k++) {
            init_barrier(&r.full[k], 1);
            init_barrier(&r.empty[k], 2 * warpgroup / 32);
        }
        publish_barriers();
    }
    __syncthreads();
    worker w{task, r, bytes, {}};
    if (threadIdx.x < warpgroup) {
        if (threadIdx.x == 0) {
            w.produce();
        }
    } else {
        // The same in all lanes, which the compiler is to know.
        const int part = __shfl_sync(0xffffffff, threadIdx.x / warpgroup, 0) - 1;
        w.consume<First, Second>(part);
    }
#endif
}

template <int First, bool Second>
void launch(const cuda_context& c, const tile_task& t)
{
    check_cuda(cudaFuncSetAttribute(multiply_small<First, Second>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    shared_bytes),
               "shared memory of the X-engine");
    const int jobs = static_cast<int>(t.layout.channels) * t.segments;
    multiply_small<First, Second>
        <<<std::min(jobs, c.multiprocessors), threads, shared_bytes, c.compute>>>(t);
    check_launch("X-engine");
}

} // namespace

void launch_small(const cuda_context& c, const tile_task& t)
{
    const small_plan plan{static_cast<int>(t.layout.input_groups())};
    if (plan.rows() > 64) {
        launch<64, true>(c, t);
    } else if (plan.rows() > 32) {
        launch<32, false>(c, t);
    } else {
        launch<16, false>(c, t);
    }
}

} // namespace gr::fringe::kernels
