/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/staging.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t largest_slot = std::size_t(8) << 20;
constexpr std::size_t usual_memory = std::size_t(4) << 20;
constexpr std::size_t min_slots = 4, max_slots = 256;
constexpr unsigned threads = 128;

//! Whole words of 16 bytes, then what is left.
__global__ void copy_bytes(char* to, const char* from, std::size_t bytes)
{
    const std::size_t words = bytes / sizeof(uint4);
    const std::size_t n = std::size_t(blockIdx.x) * threads + threadIdx.x;
    if (n < words) {
        reinterpret_cast<uint4*>(to)[n] = reinterpret_cast<const uint4*>(from)[n];
    } else if (n - words < bytes % sizeof(uint4)) {
        to[words * sizeof(uint4) + n - words] = from[words * sizeof(uint4) + n - words];
    }
}

} // namespace

staging::staging(const cuda_context& c, std::size_t bytes)
    : d_context(c),
      d_slot_bytes((std::clamp<std::size_t>(bytes, 1, largest_slot) + 15) / 16 * 16),
      d_copied(std::clamp(usual_memory / d_slot_bytes, min_slots, max_slots), nullptr)
{
    c.use();
    try {
        check_cuda(cudaMallocHost(reinterpret_cast<void**>(&d_memory),
                                  d_copied.size() * d_slot_bytes),
                   "allocating pinned host memory");
        for (cudaEvent_t& copied : d_copied) {
            check_cuda(cudaEventCreateWithFlags(
                           &copied, cudaEventDisableTiming | cudaEventBlockingSync),
                       "making an event");
        }
    } catch (...) {
        release();
        throw;
    }
}

staging::~staging()
{
    d_context.use_quietly();
    for (const cudaEvent_t copied : d_copied) {
        cudaEventSynchronize(copied);
    }
    release();
}

void staging::copy(void* to, const void* from, std::size_t bytes)
{
    d_context.use();
    for (std::size_t at = 0; at < bytes; at += d_slot_bytes) {
        const std::size_t part = std::min(d_slot_bytes, bytes - at);
        const std::size_t slot = d_next++ % d_copied.size();
        char* const memory = d_memory + slot * d_slot_bytes;
        check_cuda(cudaEventSynchronize(d_copied[slot]), "work on the GPU");
        std::memcpy(memory, static_cast<const char*>(from) + at, part);
        const std::size_t copies = part / sizeof(uint4) + part % sizeof(uint4);
        copy_bytes<<<static_cast<unsigned>((copies + threads - 1) / threads),
                     threads,
                     0,
                     d_context.compute>>>(static_cast<char*>(to) + at, memory, part);
        check_launch("copying to the GPU");
        check_cuda(cudaEventRecord(d_copied[slot], d_context.compute),
                   "recording an event");
    }
}

void staging::release() noexcept
{
    for (const cudaEvent_t copied : d_copied) {
        if (copied) {
            cudaEventDestroy(copied);
        }
    }
    cudaFreeHost(d_memory);
}

} // namespace gr::fringe::kernels
