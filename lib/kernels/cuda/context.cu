/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

void check_cuda(cudaError_t result, const char* what)
{
    if (result != cudaSuccess) {
        cudaGetLastError(); // an error that does not stay is not to be met again
        throw device_error(std::string("cuda: ") + what + ": " +
                           cudaGetErrorString(result));
    }
}

void cuda_context::use() const { check_cuda(cudaSetDevice(index), "choosing the GPU"); }

void cuda_context::use_quietly() const noexcept { cudaSetDevice(index); }

} // namespace gr::fringe::kernels
