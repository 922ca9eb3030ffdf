/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/cuda/peaks.cuh"
#include "kernels/deconvolution/cuda/search.h"
#include <algorithm>
#include <cooperative_groups.h>

namespace gr::fringe::kernels {

namespace {

using peaks::threads;

//! Iterations of a launch: no kernel takes seconds, which a display would not wait for.
constexpr unsigned long long iterations_of_launch = 8192;

struct psf_of_image {
    const float* values;
    int columns, rows;
    //! Around a source, at a pixel; 0 outside.
    __device__ float at(unsigned pixel, int source_row, int source_column) const
    {
        const int row = int(pixel / unsigned(columns));
        const int column = int(pixel - unsigned(row) * unsigned(columns));
        const int r = row - source_row + rows / 2,
                  c = column - source_column + columns / 2;
        return unsigned(r) < unsigned(rows) && unsigned(c) < unsigned(columns)
                   ? __ldg(values + std::size_t(r) * unsigned(columns) + unsigned(c))
                   : 0;
    }
};

__global__ void __launch_bounds__(threads) search_kernel(listed_pixels listed,
                                                         psf_of_image psf,
                                                         search_limits limits,
                                                         unsigned long long* keys,
                                                         float* components,
                                                         search_result* result)
{
    const auto grid = cooperative_groups::this_grid();
    const unsigned first = blockIdx.x * threads + threadIdx.x, step = gridDim.x * threads;
    float amount = 0;
    int row = 0, column = 0;
    unsigned long long done = 0;
    for (;; done++) {
        unsigned long long best = 0;
        for (unsigned k = first; k < listed.count; k += step) {
            const std::uint32_t pixel = listed.pixels[k] & ~no_component;
            float value = listed.values[k];
            if (done > 0) {
                value = fmaf(-amount, psf.at(pixel, row, column), value);
                listed.values[k] = value;
            }
            if (!(listed.pixels[k] & no_component)) {
                const unsigned long long key = peaks::key(value, pixel);
                best = key > best ? key : best;
            }
        }
        best = peaks::largest_of_block(best);
        unsigned long long* const now = keys + (done % 2) * gridDim.x;
        if (threadIdx.x == 0) {
            now[blockIdx.x] = best;
        }
        grid.sync();
        for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) {
            const unsigned long long key = __ldcg(now + k);
            best = key > best ? key : best;
        }
        best = peaks::largest_of_block(best);
        const float peak = __uint_as_float(peaks::bits_of(best));
        const bool diverged = !(fabsf(peak) <= limits.max_peak);
        if (!(fabsf(peak) > limits.limit) || diverged || done == limits.max_iterations) {
            if (first == 0) {
                *result = {done, fabsf(peak) > limits.limit && diverged};
            }
            return;
        }
        const unsigned pixel = peaks::pixel_of(best);
        amount = limits.gain * peak;
        row = int(pixel / unsigned(psf.columns));
        column = int(pixel - unsigned(row) * unsigned(psf.columns));
        if (first == 0) {
            components[pixel] += amount;
        }
    }
}

} // namespace

cuda_search::cuda_search(const cuda_context& c, const image_size& size, const float* psf)
    : d_context(c), d_size(size), d_psf(psf), d_result(c, 1)
{
    d_context.use();
    int of_multiprocessor = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &of_multiprocessor, search_kernel, int(threads), 0),
               "asking how many blocks run at a time");
    d_max_blocks = unsigned(std::max(1, of_multiprocessor)) * unsigned(c.multiprocessors);
    d_keys = cuda_array<unsigned long long>(c, 2 * d_max_blocks);
}

search_result cuda_search::run(const listed_pixels& listed,
                               const search_limits& limits,
                               float* components)
{
    d_context.use();
    const unsigned blocks =
        std::clamp((listed.count + threads - 1) / threads, 1u, d_max_blocks);
    psf_of_image psf{d_psf, int(d_size.columns), int(d_size.rows)};
    search_result all, now;
    do {
        search_limits part = limits;
        part.max_iterations =
            std::min(limits.max_iterations - all.iterations, iterations_of_launch);
        listed_pixels pixels = listed;
        unsigned long long* keys = d_keys.data();
        search_result* result = d_result.data();
        void* arguments[] = {&pixels, &psf, &part, &keys, &components, &result};
        check_cuda(cudaLaunchCooperativeKernel(search_kernel,
                                               dim3(blocks),
                                               dim3(threads),
                                               arguments,
                                               0,
                                               d_context.compute),
                   "searching for components");
        check_cuda(
            cudaMemcpyAsync(
                &now, result, sizeof(now), cudaMemcpyDeviceToHost, d_context.compute),
            "reading how many components there are");
        check_cuda(cudaStreamSynchronize(d_context.compute), "searching for components");
        all.iterations += now.iterations;
        all.diverged = now.diverged;
    } while (now.iterations == iterations_of_launch &&
             all.iterations < limits.max_iterations && !all.diverged);
    return all;
}

} // namespace gr::fringe::kernels
