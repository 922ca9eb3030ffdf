/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BENCH_CUDA_TIMING_H
#define INCLUDED_FRINGE_BENCH_CUDA_TIMING_H

#include "kernels/cuda/context.h"
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

namespace gr::fringe::kernels {

//! Milliseconds of a job, of many runs.
struct timing {
    double median = 0, fastest = 0, slowest = 0;
};

//! The first GPU, whose name is printed, and a stream on it.
inline cuda_context first_gpu()
{
    cuda_context c;
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU");
    std::printf("%s, %d multiprocessors, medians [fastest ... slowest]\n",
                properties.name,
                properties.multiProcessorCount);
    c.capability = 10 * properties.major + properties.minor;
    c.multiprocessors = properties.multiProcessorCount;
    c.shared_bytes = properties.sharedMemPerBlockOptin;
    c.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    check_cuda(cudaStreamCreateWithFlags(&c.compute, cudaStreamNonBlocking),
               "making a stream");
    return c;
}

inline timing time_of(const cuda_context& c, int rounds, const std::function<void()>& job)
{
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "making an event");
    check_cuda(cudaEventCreate(&end), "making an event");
    std::vector<float> ms;
    for (int round = -3; round < rounds; round++) {
        float t = 0;
        check_cuda(cudaEventRecord(begin, c.compute), "recording an event");
        job();
        check_cuda(cudaEventRecord(end, c.compute), "recording an event");
        check_cuda(cudaEventSynchronize(end), "the timed work");
        check_cuda(cudaEventElapsedTime(&t, begin, end), "reading the time");
        if (round >= 0) {
            ms.push_back(t);
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(ms.begin(), ms.end());
    return {ms[ms.size() / 2], ms.front(), ms.back()};
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_BENCH_CUDA_TIMING_H */
