/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/tiles_kernels.h"
#include "kernels/xengine/cuda/tiles_target.cuh"

namespace gr::fringe::kernels {

namespace {

#if defined(FRINGE_HOPPER)
__device__ int for_hopper = 1;
#else
__device__ int for_hopper = 0;
#endif

} // namespace

bool has_hopper_kernels(const cuda_context& c)
{
    if (c.capability != 90) {
        return false;
    }
    c.use();
    int result = 0;
    check_cuda(
        cudaMemcpyFromSymbolAsync(
            &result, for_hopper, sizeof(result), 0, cudaMemcpyDeviceToHost, c.compute),
        "asking for the code in use");
    check_cuda(cudaStreamSynchronize(c.compute), "asking for the code in use");
    return result != 0;
}

} // namespace gr::fringe::kernels
