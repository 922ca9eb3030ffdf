/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_COPIES_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_COPIES_CUH

#include "kernels/xengine/cuda/tiles_target.cuh"
#include <cstdint>

#if defined(FRINGE_HOPPER)

namespace gr::fringe::kernels::hopper {

__device__ inline std::uint32_t shared_address(const void* p)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Barriers in shared memory: arrivals of threads and bytes of bulk copies.

__device__ inline void init_barrier(std::uint64_t* b, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)),
                 "r"(arrivals));
}
__device__ inline void publish_barriers()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ inline void arrive(std::uint64_t* b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b))
                 : "memory");
}
__device__ inline void arrive_and_expect(std::uint64_t* b, unsigned bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
        "r"(bytes)
        : "memory");
}
__device__ inline void wait(std::uint64_t* b, unsigned phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}\n" ::"r"(shared_address(b)),
                 "r"(phase)
                 : "memory");
}

// A cluster: thread blocks that reach each other's shared memory.

__device__ inline unsigned cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline void synchronize_cluster()
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}
//! Where the thread block of this rank has what stands at `p` here.
__device__ inline std::uint32_t address_in(const void* p, unsigned rank)
{
    std::uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(shared_address(p)), "r"(rank));
    return there;
}
//! Says only that this thread is done with reading.
__device__ inline void arrive_in(std::uint64_t* b, unsigned rank)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address_in(b, rank))
                 : "memory");
}

// What one thread block tells another, by a store. The fences that this takes wait for all
// that the thread has written: they are too slow for a loop of products.

__device__ inline void tell(int* p, int value, std::uint64_t* barrier, unsigned rank)
{
    asm volatile("st.shared::cluster.s32 [%0], %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%2];" ::"r"(
                     address_in(p, rank)),
                 "r"(value),
                 "r"(address_in(barrier, rank))
                 : "memory");
}
__device__ inline void wait_for_phase(std::uint64_t* barrier, unsigned phase)
{
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(phase)
        : "memory");
}

//! 16-byte pieces from global to shared memory by the copy engine.
__device__ inline void
bulk_copy(void* to, const void* from, unsigned bytes, std::uint64_t* done)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from),
                 "r"(bytes),
                 "r"(shared_address(done))
                 : "memory");
}
//! The same to the first two thread blocks of the cluster, each with its own barrier.
__device__ inline void
bulk_copy_to_both(void* to, const void* from, unsigned bytes, std::uint64_t* done)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
        "l"(from),
        "r"(bytes),
        "r"(shared_address(done)),
        "h"(static_cast<std::uint16_t>(3))
        : "memory");
}

//! Adds int32 of shared memory to those of global memory, some time later.
__device__ inline void
bulk_add(std::int32_t* to, const std::int32_t* from, unsigned bytes)
{
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
                 "[%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(to),
                 "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}
//! Until this thread's bulk_add have read shared memory.
__device__ inline void wait_for_reads()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
//! Until this thread's bulk_add are done.
__device__ inline void wait_for_additions()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
//! What this thread has stored in shared memory, bulk_add reads after a barrier.
__device__ inline void publish_stores()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
//! Of the 128 threads of a warpgroup.
__device__ inline void synchronize_warpgroup(int barrier)
{
    asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}

template <int Registers>
__device__ inline void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

//! A place in a ring of stages and the parity of its barriers.
template <int Stages>
struct ring_place {
    int stage = 0;
    unsigned phase = 0;
    __device__ void advance()
    {
        if (++stage == Stages) {
            stage = 0;
            phase ^= 1;
        }
    }
};

} // namespace gr::fringe::kernels::hopper

#endif

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_COPIES_CUH */
