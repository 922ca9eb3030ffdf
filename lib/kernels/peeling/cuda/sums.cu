/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/peeling/cuda/launch.h"
#include "kernels/peeling/cuda/sums.h"

namespace gr::fringe::kernels::peel {

namespace {

//! Sums of a row over a chunk of channels.
template <unsigned Sources>
struct row_sums {
    float2 data[Sources] = {}, models[Sources * (Sources + 1) / 2] = {};
    float weights = 0, all = 0, heaviest = 0;
    unsigned cells = 0, outliers = 0;

    __device__ void add(const row_cell<Sources>& cell, float limit)
    {
        const float w = cell.weight;
        if (!(w > 0)) {
            return;
        }
        cells++;
        all += w;
        if (cell.power() > limit * limit) {
            outliers++;
            return;
        }
        weights += w;
        heaviest = fmaxf(heaviest, w);
        for (unsigned k = 0; k < Sources; k++) {
            add(data[k], cell.value, cell.model[k], w);
            for (unsigned m = 0; m <= k; m++) {
                add(models[k * (k + 1) / 2 + m], cell.model[m], cell.model[k], w);
            }
        }
    }

private:
    __device__ static void add(float2& to, float2 a, float2 b, float w)
    {
        const float2 p = times_conjugate(a, b);
        to.x += w * p.x;
        to.y += w * p.y;
    }
};

//! blockIdx.x: rows, blockIdx.y: chunks of channels.
template <unsigned Sources>
__global__ void add_kernel(const held_dump dump,
                           const solved_part part,
                           const level_limits* limits,
                           float* partial)
{
    const unsigned row = blockIdx.x * threads + threadIdx.x;
    if (row >= part.rows) {
        return;
    }
    const float limit = limits->limit;
    const gained_row<Sources> r(dump, part, row);
    const unsigned begin = part.first + blockIdx.y * part.chunk;
    const unsigned end = min(begin + part.chunk, part.first + part.count);
    row_sums<Sources> sums;
    for (unsigned channel = begin; channel < end; channel++) {
        sums.add(row_cell<Sources>(dump, r, part.taper > 0, channel), limit);
    }
    float* to =
        partial + std::size_t(blockIdx.y) * floats_of_chunk(Sources) * part.rows + row;
    const auto put = [&](float value) {
        *to = value;
        to += part.rows;
    };
    for (const float2& sum : sums.data) {
        put(sum.x);
        put(sum.y);
    }
    for (const float2& sum : sums.models) {
        put(sum.x);
        put(sum.y);
    }
    put(sums.weights);
    put(sums.all);
    put(__uint_as_float(sums.cells));
    put(__uint_as_float(sums.outliers));
    put(sums.heaviest);
}

//! Adds the chunks, in their order. Of a row of which more than half stands out nothing counts.
__global__ void reduce_kernel(unsigned rows,
                              unsigned chunks,
                              unsigned complex_count,
                              const float* partial,
                              float2* sums,
                              all_rows* all)
{
    const unsigned row = blockIdx.x * threads + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const unsigned floats = 2 * complex_count + 5;
    const auto at = [&](unsigned value, unsigned chunk) {
        return partial[(std::size_t(chunk) * floats + value) * rows + row];
    };
    const auto sum_of = [&](unsigned value) {
        double sum = 0;
        for (unsigned chunk = 0; chunk < chunks; chunk++) {
            sum += double(at(value, chunk));
        }
        return float(sum);
    };
    unsigned cells = 0, outliers = 0;
    float heaviest = 0;
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        cells += __float_as_uint(at(floats - 3, chunk));
        outliers += __float_as_uint(at(floats - 2, chunk));
        heaviest = fmaxf(heaviest, at(floats - 1, chunk));
    }
    const bool bad = 2 * outliers > cells;
    for (unsigned n = 0; n < complex_count; n++) {
        sums[std::size_t(n) * rows + row] =
            bad ? make_float2(0, 0) : make_float2(sum_of(2 * n), sum_of(2 * n + 1));
    }
    float* const weights =
        reinterpret_cast<float*>(sums + std::size_t(complex_count) * rows);
    weights[row] = bad ? 0 : sum_of(floats - 5);
    weights[rows + row] = sum_of(floats - 4);
    atomicAdd(&all->cells, static_cast<unsigned long long>(cells));
    atomicAdd(&all->outliers, static_cast<unsigned long long>(bad ? cells : outliers));
    if (!bad) {
        // Bits of floats that are not negative are in the order of these.
        atomicMax(reinterpret_cast<int*>(&all->heaviest), __float_as_int(heaviest));
    }
}

} // namespace

void add_cells(cudaStream_t stream,
               unsigned sources,
               const held_dump& dump,
               const solved_part& part,
               const level_limits* limits,
               float* partial,
               float2* sums,
               all_rows* all)
{
    check_cuda(cudaMemsetAsync(all, 0, sizeof(*all), stream), "clearing sums");
    if (part.rows == 0) {
        return;
    }
    const dim3 blocks = blocks_of(part);
    with_sources(sources, [&](auto count) {
        add_kernel<count><<<blocks, threads, 0, stream>>>(dump, part, limits, partial);
    });
    check_launch("add_kernel");
    reduce_kernel<<<blocks.x, threads, 0, stream>>>(
        part.rows, blocks.y, complex_sums(sources), partial, sums, all);
    check_launch("reduce_kernel");
}

} // namespace gr::fringe::kernels::peel
