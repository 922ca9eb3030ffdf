/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH

#include "kernels/blanking/blanking.h"
#include <cstdint>

namespace gr::fringe::kernels {

//! Held voltages of some inputs: input i begins at i row samples.
template <class T>
struct held_rows {
    T* first;
    std::size_t row;
};

//! blockIdx.y: input; a thread a cell. `powers`: [input][cell].
template <class T, unsigned Parts>
__global__ void
cell_powers_kernel(const held_rows<const T> x, std::size_t cells, double* powers)
{
    const std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (k >= cells) {
        return;
    }
    const T* const values = x.first + (blockIdx.y * x.row + k * blanking::cell) * Parts;
    double sum = 0;
    for (unsigned n = 0; n < blanking::cell * Parts; n++) {
        const double value = values[n];
        sum = __dadd_rn(sum, __dmul_rn(value, value));
    }
    powers[blockIdx.y * cells + k] = sum;
}

//! A thread a sample, which goes through the inputs. `bits`: [input + 1][words of 32 samples]; the
//! threads of a warp have the samples of a word. limits: [input] of one input, [input] scales, and
//! that of the sum.
template <class T, unsigned Parts>
__global__ void find_kernel(const held_rows<const T> x,
                            unsigned inputs,
                            std::size_t count,
                            const float* limits,
                            std::size_t words,
                            std::uint32_t* bits)
{
    const std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t word = n / 32;
    if (word >= words) { // the same for a whole warp
        return;
    }
    const bool there = n < count;
    float sum = 0;
    for (unsigned i = 0; i < inputs; i++) {
        float power = 0;
        if (there) {
            const T* const value = x.first + (i * x.row + n) * Parts;
            const float re = value[0];
            power = __fmul_rn(re, re);
            if constexpr (Parts == 2) {
                const float im = value[1];
                power = __fadd_rn(power, __fmul_rn(im, im));
            }
        }
        const unsigned found = __ballot_sync(~0u, there && power > limits[i]);
        if (n % 32 == 0) {
            bits[i * words + word] = found;
        }
        sum = __fadd_rn(sum, __fmul_rn(limits[inputs + i], power));
    }
    const unsigned found = __ballot_sync(~0u, there && sum > limits[2 * inputs]);
    if (n % 32 == 0) {
        bits[inputs * words + word] = found;
    }
}

//! A thread block a run.
template <class T, unsigned Parts>
__global__ void zero_runs_kernel(const held_rows<T> x, const sample_run* runs)
{
    const sample_run r = runs[blockIdx.x];
    T* const first = x.first + (r.input * x.row + r.first) * Parts;
    for (std::size_t n = threadIdx.x; n < std::size_t(r.count) * Parts; n += blockDim.x) {
        first[n] = 0;
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH */
