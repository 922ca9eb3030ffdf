/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CONVOLUTION_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CONVOLUTION_H

#include "kernels/base/aligned.h"
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::kernels {

//! Sides of an image: pixel (row, column) is at [row * columns + column].
struct image_size {
    std::size_t columns = 0, rows = 0;
    std::size_t pixels() const { return columns * rows; }
};

/*!
 * Convolution of images with one kernel, by FFT, without wrapping around:
 *
 *     out(r, c) += factor sum_(r', c') in(r', c') kernel(r - r' + kernel.rows / 2, ...)
 *
 * What lies outside of the kernel counts as 0.
 */
class FRINGE_API image_convolution
{
public:
    image_convolution(const image_size& image,
                      const image_size& size_of_kernel,
                      const float* kernel);
    ~image_convolution();
    image_convolution(const image_convolution&) = delete;
    image_convolution& operator=(const image_convolution&) = delete;

    void add(const float* in, double factor, float* out);

private:
    void clear();
    float* row(std::size_t r);

    const image_size d_image, d_padded;
    const std::size_t d_pitch; // floats of a padded row, in place
    aligned_vector<std::complex<float>> d_kernel, d_buffer;
    void *d_forward, *d_backward;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CONVOLUTION_H */
