/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_large_consumer.cuh"
#include "kernels/xengine/cuda/tiles_large_producer.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using namespace large;

__global__ void __launch_bounds__(threads, 1)
    multiply_large(const __grid_constant__ large_task task)
{
#if defined(FRINGE_HOPPER)
    extern __shared__ char memory[];
    char* const bytes = memory + (1024 - shared_address(memory) % 1024) % 1024;
    ring& r = *reinterpret_cast<ring*>(bytes + stages * stage_bytes + 2 * out_bytes);
    const int sharing = task.plan.sharing();
    if (threadIdx.x == 0) {
        constexpr int consumers = 2 * warpgroup / 32; // a warp arrives once
        for (int k = 0; k < stages; k++) {
            init_barrier(&r.full[k], 1);
            init_barrier(&r.empty[k], sharing * consumers);
        }
        for (int k = 0; k < job_slots; k++) {
            init_barrier(&r.job_known[k], 1);
            init_barrier(&r.job_read[k], sharing * (consumers + 1));
        }
    }
    publish_barriers();
    synchronize_cluster();
    const worker w{task,
                   r,
                   bytes,
                   sharing,
                   static_cast<int>(cluster_rank()),
                   {},
                   {},
                   {},
                   0,
                   0,
                   0,
                   false};
    if (threadIdx.x < warpgroup) {
        fewer_registers<40>();
        if (threadIdx.x == 0) {
            producer{w}.produce();
        }
    } else if (threadIdx.x < 2 * warpgroup) {
        more_registers<232>();
        consumer{w}.consume<0>();
    } else {
        more_registers<232>();
        consumer{w}.consume<1>();
    }
    synchronize_cluster(); // while the other one may reach for this one's memory
#endif
}

} // namespace

std::size_t large_stash_bytes(const cuda_context& c)
{
    return c.multiprocessors * tile_plan::square * sizeof(std::int32_t);
}

unsigned launch_large(const cuda_context& c, const large_task& t)
{
    const unsigned jobs = t.plan.jobs() * t.segments * t.layout.channels;
    const unsigned sharing = t.plan.sharing();
    const unsigned clusters = std::min(jobs, c.multiprocessors / sharing);
    check_cuda(cudaFuncSetAttribute(multiply_large,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    shared_bytes),
               "shared memory of the X-engine");
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = sharing;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(clusters * sharing);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = c.compute;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check_cuda(cudaLaunchKernelEx(&config, multiply_large, t), "X-engine");
    return jobs + clusters; // every cluster draws one job too many
}

} // namespace gr::fringe::kernels
