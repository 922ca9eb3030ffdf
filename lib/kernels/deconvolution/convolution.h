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
#include <initializer_list>
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
 * Convolution of images with kernels, by FFT, without wrapping around:
 *
 *     out(r, c) += factor sum_(r', c') in(r', c') kernel(r - r' + kernel.rows / 2, ...)
 *
 * What lies outside of the kernel counts as 0. With two kernels the image is convolved with both,
 * whose half sides together are at most those of `largest`.
 */
class FRINGE_API image_convolution
{
public:
    //! The transform of a kernel, [column][padded row].
    struct kernel {
        aligned_vector<std::complex<float>> values;
        aligned_vector<float> real; //!< instead of values, of a kernel that is even
    };

    image_convolution(const image_size& image, const image_size& largest);
    //! With one kernel, of which add() without kernels makes use.
    image_convolution(const image_size& image,
                      const image_size& size_of_kernel,
                      const float* kernel);
    ~image_convolution();
    image_convolution(const image_convolution&) = delete;
    image_convolution& operator=(const image_convolution&) = delete;

    kernel transformed(const image_size& size, const float* values);
    //! Of a kernel with odd sides that is the same when it is turned by 180 degrees.
    kernel transformed_even(const image_size& size, const float* values);
    void add(const float* in,
             std::initializer_list<const kernel*> kernels,
             double factor,
             float* out);
    void add(const float* in, double factor, float* out)
    {
        add(in, {&d_kernel}, factor, out);
    }

private:
    using complex = std::complex<float>;
    //! Of a thread.
    struct scratch {
        aligned_vector<float> line;
        aligned_vector<complex> waves, columns;
    };

    template <class F>
    void each_kernel_column(const image_size& size, const float* values, const F& keep);
    template <class F>
    void along_rows(std::size_t rows, aligned_vector<complex>& lines, const F& load);
    template <class F>
    void each_column(std::size_t rows, aligned_vector<complex>& lines, const F& change);

    const std::shared_ptr<workers> d_workers;
    const image_size d_image, d_padded;
    const std::size_t d_waves, d_blocks; // columns of a transform, and blocks of them
    const std::size_t d_pitch;           // of a column in scratch
    aligned_vector<complex> d_lines;     // [block][row][column]
    std::vector<scratch> d_scratch;
    void *d_along, *d_back_along, *d_down, *d_up; // plans of FFTW
    kernel d_kernel;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CONVOLUTION_H */
