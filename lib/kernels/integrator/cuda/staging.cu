/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/integrator/cuda/staging.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr std::size_t largest_slot = std::size_t(8) << 20;

} // namespace

staging::staging(const cuda_context& c, std::size_t bytes)
    : d_context(c), d_slot_bytes(std::min(bytes, largest_slot))
{
    c.use();
    try {
        for (slot& s : d_slots) {
            check_cuda(cudaMallocHost(reinterpret_cast<void**>(&s.memory), d_slot_bytes),
                       "allocating pinned host memory");
            check_cuda(cudaEventCreateWithFlags(
                           &s.copied, cudaEventDisableTiming | cudaEventBlockingSync),
                       "making an event");
        }
    } catch (...) {
        release();
        throw;
    }
}

staging::~staging()
{
    for (const slot& s : d_slots) {
        cudaEventSynchronize(s.copied);
    }
    release();
}

void staging::copy(void* to, const void* from, std::size_t bytes)
{
    for (std::size_t at = 0; at < bytes; at += d_slot_bytes) {
        const std::size_t part = std::min(d_slot_bytes, bytes - at);
        slot& s = d_slots[d_next++ % std::size(d_slots)];
        check_cuda(cudaEventSynchronize(s.copied), "work on the GPU");
        std::memcpy(s.memory, static_cast<const char*>(from) + at, part);
        check_cuda(cudaMemcpyAsync(static_cast<char*>(to) + at,
                                   s.memory,
                                   part,
                                   cudaMemcpyHostToDevice,
                                   d_context.compute),
                   "copying to the GPU");
        check_cuda(cudaEventRecord(s.copied, d_context.compute), "recording an event");
    }
}

void staging::release() noexcept
{
    for (const slot& s : d_slots) {
        if (s.copied) {
            cudaEventDestroy(s.copied);
        }
        cudaFreeHost(s.memory);
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
