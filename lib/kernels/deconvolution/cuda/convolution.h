/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_CONVOLUTION_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_CONVOLUTION_H

#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/deconvolution/convolution.h"

namespace gr::fringe::kernels {

//! image_convolution by a point spread function of the image's size, on a GPU, by cuFFT, in the
//! stream `compute`.
class cuda_convolution
{
public:
    //! psf: in the GPU's memory, where it is needed until the work is done.
    cuda_convolution(const cuda_context& c, const image_size& size, const float* psf);
    //! Subtracts the convolution of components from an image.
    void subtract(const float* components, float* image);

private:
    void along_rows(const float* image, bool centered);

    const cuda_context& d_context;
    const image_size d_size, d_padded;
    const cuda_array<float2> d_lines;             //!< [row][padded column]
    const cuda_array<float2> d_columns, d_kernel; //!< [padded column][padded row]
    const cufft_transform d_rows, d_down;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CUDA_CONVOLUTION_H */
