/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH

#include "kernels/blanking/cuda/levels.h"
#include <type_traits>

namespace gr::fringe::kernels {

//! Held voltages of some inputs: input i begins at i row samples.
template <class T>
struct held_rows {
    T* first;
    std::size_t row;
};

/*!
 * The powers of cells, [window][input][cell]; -1 where a window has no such cell. Integers: a
 * thread a sample, since their sum does not depend on the order. Floats: a thread a cell.
 * blockIdx.y: input, blockIdx.z: window.
 */
template <class T, unsigned Parts>
__global__ void cell_powers_kernel(const held_rows<const T> x,
                                   std::size_t window,
                                   window_cells of,
                                   double* powers)
{
    constexpr unsigned lanes = std::is_same_v<T, float> ? 1 : blanking::cell;
    const std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t cell = n / lanes;
    const bool there = cell < of.of_window(blockIdx.z);
    const std::size_t first = blockIdx.y * x.row + blockIdx.z * window;
    double power = -1;
    if constexpr (lanes == 1) {
        const T* const value = x.first + (first + cell * blanking::cell) * Parts;
        double sum = 0;
        for (unsigned k = 0; there && k < blanking::cell * Parts; k++) {
            sum = __dadd_rn(sum, __dmul_rn(value[k], value[k]));
        }
        power = there ? sum : power;
    } else {
        using whole = std::conditional_t<sizeof(T) == 1, unsigned, unsigned long long>;
        whole sum = 0;
        for (unsigned k = 0; there && k < Parts; k++) {
            const int value = x.first[(first + n) * Parts + k];
            sum += static_cast<whole>(value * value);
        }
        for (unsigned k = lanes / 2; k > 0; k /= 2) {
            sum += __shfl_xor_sync(~0u, sum, k);
        }
        power = there ? static_cast<double>(sum) : power;
    }
    if (cell < of.cells && n % lanes == 0) {
        powers[(blockIdx.z * std::size_t(of.inputs) + blockIdx.y) * of.cells + cell] =
            power;
    }
}

//! Samples that were found among the 32 from `first` on, counted from the first window.
struct found_word {
    unsigned input, first, bits;
};

//! Windows of held voltages (see sample_windows), as kernels see them.
template <class T>
struct held_windows {
    held_rows<const T> x; //!< from the first window on
    std::size_t count, window;

    __device__ std::size_t samples(std::size_t k) const
    {
        return min(window, count - k * window);
    }
};

//! A thread a sample, which goes through the inputs; blockIdx.y: window. limits: [window], each
//! [input] of one input, [input] scales, and that of the sum. Words of 32 samples with a found
//! one go to `found`, in any order, as far as there is room; `how_many` counts them all.
template <class T, unsigned Parts>
__global__ void find_kernel(const held_windows<T> in,
                            unsigned inputs,
                            const float* limits,
                            found_word* found,
                            unsigned room,
                            unsigned* how_many)
{
    const std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t samples = in.samples(blockIdx.y);
    if (n / 32 * 32 >= samples) { // the same for a whole warp
        return;
    }
    limits += blockIdx.y * std::size_t(2 * inputs + 1);
    const std::size_t at = blockIdx.y * in.window + n;
    const bool there = n < samples;
    const auto keep = [&](unsigned input, bool above) {
        const unsigned bits = __ballot_sync(~0u, above);
        if (bits && n % 32 == 0) {
            const unsigned place = atomicAdd(how_many, 1u);
            if (place < room) {
                found[place] = {input, static_cast<unsigned>(at), bits};
            }
        }
    };
    float sum = 0;
#pragma unroll 4
    for (unsigned i = 0; i < inputs; i++) {
        float power = 0;
        if (there) {
            const T* const value = in.x.first + (i * in.x.row + at) * Parts;
            const float re = value[0];
            power = __fmul_rn(re, re);
            if constexpr (Parts == 2) {
                const float im = value[1];
                power = __fadd_rn(power, __fmul_rn(im, im));
            }
        }
        keep(i, there && power > limits[i]);
        sum = __fadd_rn(sum, __fmul_rn(limits[inputs + i], power));
    }
    keep(inputs, there && sum > limits[2 * inputs]);
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
