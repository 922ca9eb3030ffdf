/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_SEARCH_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_SEARCH_H

#include "kernels/cuda/context.h"
#include "kernels/deconvolution/convolution.h"
#include <cstdint>

namespace gr::fringe::kernels {

//! Some pixels of an image on a GPU, in any order.
struct listed_pixels {
    unsigned count = 0;
    const std::uint32_t* pixels =
        nullptr; //!< row * columns + column; the top bit: no components
    float* values = nullptr;
};
constexpr std::uint32_t no_component = 1u << 31;

//! How a search goes on.
struct search_limits {
    float gain, limit, max_peak;
    unsigned long long max_iterations;
};
struct search_result {
    unsigned long long iterations = 0;
    bool diverged = false; //!< a pixel is above max_peak
};

/*!
 * Hoegbom's loop among listed pixels, in one kernel: each thread keeps to its pixels, subtracts
 * the point spread function from them and finds the highest of them, and all blocks then agree on
 * the highest of all. What is found is added to components [row][column].
 */
class cuda_search
{
public:
    cuda_search(const cuda_context& c, const image_size& size, const float* psf);
    //! Returns when it is done.
    search_result
    run(const listed_pixels& listed, const search_limits& limits, float* components);

private:
    const cuda_context& d_context;
    const image_size d_size;
    const float* const d_psf;
    unsigned d_max_blocks;
    cuda_array<unsigned long long> d_keys; //!< [2][block]
    cuda_array<search_result> d_result;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_SEARCH_H */
