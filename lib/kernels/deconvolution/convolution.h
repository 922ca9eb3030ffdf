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
#include <memory>
#include <vector>

namespace gr::fringe::kernels {

class workers;

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
    using complex = std::complex<float>;
    //! Of a thread.
    struct scratch {
        aligned_vector<float> line;
        aligned_vector<complex> waves, columns;
    };

    void set_kernel(const image_size& size, const float* kernel);
    template <class F>
    void along_rows(std::size_t rows, aligned_vector<complex>& lines, const F& load);
    template <class F>
    void each_column(std::size_t rows, aligned_vector<complex>& lines, const F& change);

    const std::shared_ptr<workers> d_workers;
    const image_size d_image, d_padded;
    const std::size_t d_waves, d_blocks; // columns of a transform, and blocks of them
    const std::size_t d_pitch;           // of a column in scratch
    aligned_vector<complex> d_kernel;    // [column][padded row]
    aligned_vector<complex> d_lines;     // [block][row][column]
    std::vector<scratch> d_scratch;
    void *d_along, *d_back_along, *d_down, *d_up; // plans of FFTW
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CONVOLUTION_H */
