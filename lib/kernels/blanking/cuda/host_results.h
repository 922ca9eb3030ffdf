/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_HOST_RESULTS_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_HOST_RESULTS_H

#include "kernels/cuda/context.h"
#include <utility>

namespace gr::fringe::kernels {

//! What kernels write for the host, into its own memory.
class host_results
{
public:
    host_results() = default;
    host_results(const host_results&) = delete;
    host_results& operator=(const host_results&) = delete;
    ~host_results()
    {
        if (d_memory) {
            cudaFreeHost(d_memory);
        }
    }
    //! What was there is lost where it grows; nothing may be written to it then.
    char* room(const cuda_context& c, std::size_t bytes)
    {
        if (bytes > d_bytes) {
            c.use();
            if (d_memory) {
                cudaFreeHost(std::exchange(d_memory, nullptr));
                d_bytes = 0;
            }
            check_cuda(cudaMallocHost(reinterpret_cast<void**>(&d_memory), 2 * bytes),
                       "allocating pinned host memory");
            d_bytes = 2 * bytes;
        }
        return d_memory;
    }
    char* data() const { return d_memory; }

private:
    char* d_memory = nullptr;
    std::size_t d_bytes = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_HOST_RESULTS_H */
