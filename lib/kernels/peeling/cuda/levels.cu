/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/peeling/cuda/launch.h"
#include "kernels/peeling/cuda/levels.h"

namespace gr::fringe::kernels::peel {

namespace {

//! blockIdx.x: rows, blockIdx.y: chunks of channels. Each block counts in its own memory first.
template <unsigned Sources>
__global__ void
count_kernel(const held_dump dump, const solved_part part, unsigned* counts)
{
    __shared__ unsigned here[level_bins::count];
    for (unsigned n = threadIdx.x; n < level_bins::count; n += threads) {
        here[n] = 0;
    }
    __syncthreads();
    const unsigned row = blockIdx.x * threads + threadIdx.x;
    if (row < part.rows) {
        const gained_row<Sources> r(dump, part, row);
        const unsigned begin = part.first + blockIdx.y * part.chunk;
        const unsigned end = min(begin + part.chunk, part.first + part.count);
        for (unsigned channel = begin; channel < end; channel++) {
            const row_cell<Sources> cell(dump, r, part.taper > 0, channel);
            if (cell.weight > 0) {
                atomicAdd(&here[level_bins::of(cell.power())], 1u);
            }
        }
    }
    __syncthreads();
    for (unsigned n = threadIdx.x; n < level_bins::count; n += threads) {
        if (here[n] > 0) {
            atomicAdd(&counts[n], here[n]);
        }
    }
}

constexpr unsigned bins_of_thread = level_bins::count / threads;

//! The median of the cells in the first `bins` bins; of all threads of the block.
__device__ float median_of(const unsigned* counts, unsigned bins)
{
    __shared__ unsigned long long sums[threads];
    __shared__ float found;
    unsigned long long mine = 0;
    const unsigned first = threadIdx.x * bins_of_thread;
    for (unsigned n = first; n < min(first + bins_of_thread, bins); n++) {
        mine += counts[n];
    }
    __syncthreads(); // what was found before has been read
    sums[threadIdx.x] = mine;
    found = 0;
    __syncthreads();
    unsigned long long total = 0, before = 0;
    for (unsigned n = 0; n < threads; n++) {
        before += n < threadIdx.x ? sums[n] : 0;
        total += sums[n];
    }
    // One thread has the bin in which the median is.
    if (2 * before < total && 2 * (before + mine) >= total) {
        for (unsigned n = first; n < bins; n++) {
            if (2 * (before + counts[n]) >= total) {
                found = level_bins::median(n, total, before, counts[n]);
                break;
            }
            before += counts[n];
        }
    }
    __syncthreads();
    return found;
}

//! One block.
__global__ void limits_kernel(const unsigned* counts, float clip, level_limits* limits)
{
    const float limit = clip * median_of(counts, level_bins::count);
    const float level = median_of(counts, level_bins::of(limit * limit) + 1);
    if (threadIdx.x == 0) {
        limits->limit = limit;
        limits->level = level;
    }
}

} // namespace

void find_limits(cudaStream_t stream,
                 unsigned sources,
                 const held_dump& dump,
                 const solved_part& part,
                 float clip,
                 unsigned* counts,
                 level_limits* limits)
{
    check_cuda(cudaMemsetAsync(counts, 0, level_bins::count * sizeof(*counts), stream),
               "clearing counts");
    if (part.rows > 0) {
        with_sources(sources, [&](auto count) {
            count_kernel<count>
                <<<blocks_of(part), threads, 0, stream>>>(dump, part, counts);
        });
        check_launch("count_kernel");
    }
    limits_kernel<<<1, threads, 0, stream>>>(counts, clip, limits);
    check_launch("limits_kernel");
}

} // namespace gr::fringe::kernels::peel
