/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_CUFFT_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_CUFFT_H

#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

/*!
 * Forward transforms of many rows in place, complex float32, in the compute stream. cuFFT
 * is a large library, so it is opened when the first transform is made.
 */
class cufft_transform
{
public:
    cufft_transform() = default;
    //! Throws device_error when cuFFT is missing or refuses.
    cufft_transform(const cuda_context& c, std::size_t points, std::size_t rows);
    ~cufft_transform();
    cufft_transform(const cufft_transform&) = delete;
    cufft_transform& operator=(const cufft_transform&) = delete;

    void run(float2* data) const;

private:
    const cuda_context* d_context = nullptr; //!< outlives it
    int d_plan = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_CUFFT_H */
