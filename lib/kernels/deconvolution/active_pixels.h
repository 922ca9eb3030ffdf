/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_ACTIVE_PIXELS_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_ACTIVE_PIXELS_H

#include "kernels/deconvolution/minor_cycle.h"
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Some pixels of an image, from which sources are taken with the whole point spread function:
 *
 *     value(p) -= amount psf(p - source)
 *
 * It stands with zeros left and right of it, so that no distance along a row leaves it.
 */
class FRINGE_API active_pixels
{
public:
    active_pixels(const image_size& size, const float* psf);

    //! Begins with these pixels, in rising order, and their values in an image.
    void begin(const std::vector<std::size_t>& pixels, const float* image);
    //! The largest |value|; `at`: which of the pixels. The first of several.
    image_peak peak() const;
    //! Takes out a source at one of the pixels.
    void take(std::size_t which, float amount);
    //! What was taken out at a pixel.
    float taken(std::size_t which) const { return d_taken[which]; }

private:
    const image_size d_size;
    const std::size_t d_pitch;
    std::vector<float> d_psf;          // [row][pitch]: zeros, the row, zeros
    std::vector<std::int32_t> d_place; // of each pixel: row * pitch + column
    std::vector<float> d_values, d_taken;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_ACTIVE_PIXELS_H */
