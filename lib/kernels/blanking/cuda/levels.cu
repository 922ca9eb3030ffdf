/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/cuda/levels.h"

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned ranks = 3, bins = 256;

unsigned blocks_for(std::size_t count)
{
    return static_cast<unsigned>((count + threads - 1) / threads);
}

//! A thread block a run of lost samples.
__global__ void lose_cells_kernel(const sample_run* lost,
                                  std::size_t first,
                                  std::size_t window,
                                  window_cells of,
                                  double* powers)
{
    const sample_run r = lost[blockIdx.x];
    const std::size_t end = std::size_t(r.first) + r.count;
    for (unsigned k = 0; k < of.windows; k++) {
        const std::size_t begin = first + k * window;
        const std::size_t behind = begin + of.of_window(k) * blanking::cell;
        const std::size_t a = max(begin, std::size_t(r.first)), b = min(behind, end);
        if (a >= b) {
            continue;
        }
        double* const cells = powers + (k * std::size_t(of.inputs) + r.input) * of.cells;
        const std::size_t last = (b - 1 - begin) / blanking::cell;
        for (std::size_t c = (a - begin) / blanking::cell + threadIdx.x; c <= last;
             c += blockDim.x) {
            cells[c] = -1;
        }
    }
}

/*!
 * The bin of a place in counts, by a warp: each thread has eight bins. Returns it to all, and
 * makes `place` count from the begin of that bin.
 */
__device__ unsigned bin_of_place(const unsigned* counts, unsigned& place)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned mine = 0;
    for (unsigned k = 0; k < bins / 32; k++) {
        mine += counts[lane * (bins / 32) + k];
    }
    unsigned before = mine;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(~0u, before, step);
        before += lane >= step ? other : 0;
    }
    before -= mine;
    const bool here = place >= before && place - before < mine;
    const unsigned owner = __ffs(__ballot_sync(~0u, here)) - 1;
    unsigned bin = lane * (bins / 32), rest = place - before;
    if (here) {
        for (; rest >= counts[bin]; bin++) {
            rest -= counts[bin];
        }
    }
    place = __shfl_sync(~0u, rest, owner);
    return __shfl_sync(~0u, bin, owner);
}

__device__ unsigned bits_of(float value) { return __float_as_uint(value); }
__device__ unsigned bits_of(double value)
{
    return __float_as_uint(__double2float_rn(value));
}

//! Rows of cells in windows, and where their levels go.
struct level_rows {
    std::size_t rows; //!< in a window
    cell_levels *levels, *copy;
    std::size_t stride; //!< levels of a window
    double* inverse;    //!< [window][row], or null
    const char* bad;    //!< [row], or null
};

// A thread block a row; blockIdx.y: window. Floats that are not negative are in the order of their
// bits: eight of them at a time.
template <class Value>
__global__ void quartiles_kernel(const Value* values, window_cells of, level_rows to)
{
    __shared__ unsigned counts[ranks][bins];
    __shared__ unsigned prefix[ranks], place[ranks], all;
    const unsigned cells = of.of_window(blockIdx.y);
    const std::size_t row = blockIdx.y * to.rows + blockIdx.x;
    values += row * of.cells;
    if (threadIdx.x < ranks) {
        prefix[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        all = 0;
    }
    __syncthreads();
    unsigned mine = 0;
    for (unsigned k = threadIdx.x; k < cells; k += blockDim.x) {
        mine += !(values[k] < 0);
    }
    atomicAdd(&all, mine);
    __syncthreads();
    if (threadIdx.x < ranks) {
        place[threadIdx.x] = all > 0 ? (threadIdx.x + 1) * std::size_t(all - 1) / 4 : 0;
    }
    const bool enough = all >= blanking::fewest; // the same for all threads
    for (int shift = 24; enough && shift >= 0; shift -= 8) {
        for (unsigned k = threadIdx.x; k < ranks * bins; k += blockDim.x) {
            (&counts[0][0])[k] = 0;
        }
        __syncthreads();
        for (unsigned k = threadIdx.x; k < cells; k += blockDim.x) {
            if (values[k] < 0) {
                continue;
            }
            const unsigned bits = bits_of(values[k]);
            for (unsigned q = 0; q < ranks; q++) {
                // What is the same for two of them is counted once.
                const bool again = q > 0 && prefix[q] == prefix[q - 1];
                if (!again && (shift == 24 || (bits ^ prefix[q]) >> (shift + 8) == 0)) {
                    atomicAdd(&counts[q][bits >> shift & (bins - 1)], 1u);
                }
            }
        }
        __syncthreads();
        if (const unsigned q = threadIdx.x / 32; q < ranks) {
            unsigned from = q;
            while (from > 0 && prefix[from] == prefix[from - 1]) {
                from--;
            }
            unsigned at = place[q];
            const unsigned bin = bin_of_place(counts[from], at);
            const unsigned found = prefix[q] | bin << shift;
            __syncwarp();
            // Other warps still compare the prefixes that there were.
            asm volatile("bar.sync 1, 96;");
            if (threadIdx.x % 32 == 0) {
                prefix[q] = found;
                place[q] = at;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        cell_levels l;
        l.cells = all;
        if (enough) {
            l.low = __uint_as_float(prefix[0]);
            l.median = __uint_as_float(prefix[1]);
            l.high = __uint_as_float(prefix[2]);
        }
        const std::size_t at = blockIdx.y * to.stride + blockIdx.x;
        to.levels[at] = to.copy[at] = l;
        if (to.inverse) {
            const bool good = l.median > 0 && !(to.bad && to.bad[blockIdx.x]);
            to.inverse[row] = good ? __ddiv_rn(1.0, static_cast<double>(l.median)) : 0;
        }
    }
}

//! A thread a cell, blockIdx.y: window.
__global__ void sum_inputs_kernel(const double* powers,
                                  const double* inverse,
                                  window_cells of,
                                  float* sums)
{
    const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= of.cells) {
        return;
    }
    powers += blockIdx.y * std::size_t(of.inputs) * of.cells + cell;
    inverse += blockIdx.y * std::size_t(of.inputs);
    bool lost = cell >= of.of_window(blockIdx.y);
    double sum = 0;
#pragma unroll 4
    for (unsigned i = 0; i < of.inputs; i++) {
        const double power = powers[i * std::size_t(of.cells)], factor = inverse[i];
        if (factor > 0) {
            lost = lost || power < 0;
            sum = __dadd_rn(sum, __dmul_rn(factor, power));
        }
    }
    sums[blockIdx.y * std::size_t(of.cells) + cell] = lost ? -1 : __double2float_rn(sum);
}

//! A thread a run, blockIdx.y: window. levels: those of the sums, `stride` apart.
__global__ void runs_kernel(const float* sums,
                            const cell_levels* levels,
                            std::size_t stride,
                            window_cells of,
                            float* runs)
{
    const unsigned run = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned room = of.cells / blanking::run_cells;
    if (run >= of.of_window(blockIdx.y) / blanking::run_cells) {
        return;
    }
    const cell_levels l = levels[blockIdx.y * stride];
    const float cap =
        __fadd_rn(l.median, __fmul_rn(2.9652044f, __fsub_rn(l.high, l.low)));
    sums += blockIdx.y * std::size_t(of.cells) + run * blanking::run_cells;
    float sum = 0;
    bool lost = l.cells < blanking::fewest;
    for (unsigned k = 0; k < blanking::run_cells; k++) {
        lost = lost || sums[k] < 0;
        sum = __fadd_rn(sum, fminf(sums[k], cap));
    }
    runs[blockIdx.y * std::size_t(room) + run] = lost ? -1 : sum;
}

} // namespace

void launch_lost_cells(const cuda_context& c,
                       const levels_task& task,
                       const sample_run* lost,
                       std::size_t count,
                       std::size_t first,
                       std::size_t window)
{
    lose_cells_kernel<<<static_cast<unsigned>(count), 64, 0, c.compute>>>(
        lost, first, window, task.of, task.powers);
    check_launch("blanking: lost cells");
}

void launch_levels(const cuda_context& c, const levels_task& t)
{
    const unsigned inputs = t.of.inputs, windows = t.of.windows;
    const std::size_t rows = inputs + 1;
    quartiles_kernel<<<dim3(inputs, windows), threads, 0, c.compute>>>(
        t.powers, t.of, {inputs, t.levels, t.host_levels, rows, t.inverse, t.bad});
    check_launch("blanking: levels");
    sum_inputs_kernel<<<dim3(blocks_for(t.of.cells), windows), threads, 0, c.compute>>>(
        t.powers, t.inverse, t.of, t.sums);
    check_launch("blanking: sums over inputs");
    quartiles_kernel<<<dim3(1, windows), threads, 0, c.compute>>>(
        t.sums,
        t.of,
        {1, t.levels + inputs, t.host_levels + inputs, rows, nullptr, nullptr});
    check_launch("blanking: levels of sums");
    if (t.of.cells >= blanking::run_cells) {
        runs_kernel<<<dim3(blocks_for(t.of.cells / blanking::run_cells), windows),
                      threads,
                      0,
                      c.compute>>>(t.sums, t.levels + inputs, rows, t.of, t.host_runs);
        check_launch("blanking: runs");
    }
}

} // namespace gr::fringe::kernels
