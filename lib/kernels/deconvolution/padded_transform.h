/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_PADDED_TRANSFORM_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_PADDED_TRANSFORM_H

#include "kernels/base/aligned.h"
#include "kernels/deconvolution/convolution.h"
#include <complex>

namespace gr::fringe::kernels {

/*!
 * Fourier transforms of images with zeros around them, so that products of transforms are
 * convolutions that do not wrap around. One transform may serve several threads, each with a
 * buffer of its own.
 */
class padded_transform
{
public:
    using buffer = aligned_vector<std::complex<float>>;

    //! reach: pixels to which kernels reach from their middle.
    padded_transform(const image_size& image, std::size_t reach);
    ~padded_transform();
    padded_transform(const padded_transform&) = delete;
    padded_transform& operator=(const padded_transform&) = delete;

    //! The transform of an image.
    void forward(const float* image, buffer& to) const;
    //! The transform of a kernel with its middle at (rows / 2, columns / 2).
    void forward_kernel(const image_size& size, const float* kernel, buffer& to) const;
    //! Adds factor times the image of a transform, which is lost.
    void add(buffer& from, double factor, float* image) const;
    //! The whole plane of a transform, times 1 / pixels; the middle of a kernel is at (0, 0).
    void plane(buffer& from) const;
    //! A value of that plane, some rows and columns from (0, 0), which may be less than 0.
    float at(const buffer& plane, long row, long column) const;
    image_size padded() const { return d_padded; }
    buffer make_buffer() const { return buffer(d_padded.rows * d_pitch / 2); }

private:
    float* row(buffer& b, std::size_t r) const
    {
        return reinterpret_cast<float*>(b.data()) + r * d_pitch;
    }
    void backward(buffer& b) const;

    const image_size d_image, d_padded;
    const std::size_t d_pitch; // floats of a padded row, in place
    void *d_forward, *d_backward;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_PADDED_TRANSFORM_H */
