/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_SEARCH_CUH

#include "kernels/blanking/cuda/levels.cuh"

namespace gr::fringe::kernels {

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
