/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CUDA_STAGING_H
#define INCLUDED_FRINGE_KERNELS_CUDA_STAGING_H

#include "kernels/cuda/context.h"
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Copies host arrays to the GPU in the order of the stream `compute`, so that the caller
 * has them back at once: through pinned slots in turn, many where the arrays are small. A
 * slot is written again only when its copy has been done; the host waits for that where
 * it is far ahead. A kernel reads the slots where they are: the copy engine would take
 * these few bytes behind all samples that are queued for it, and the stream would wait.
 */
class staging
{
public:
    //! `bytes`: of the largest array that is to be copied without a wait.
    staging(const cuda_context& c, std::size_t bytes);
    ~staging();
    staging(const staging&) = delete;
    staging& operator=(const staging&) = delete;

    void copy(void* to, const void* from, std::size_t bytes);

private:
    void release() noexcept;

    const cuda_context& d_context;
    const std::size_t d_slot_bytes;
    char* d_memory = nullptr;
    std::vector<cudaEvent_t> d_copied; //!< of each slot
    std::size_t d_next = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CUDA_STAGING_H */
