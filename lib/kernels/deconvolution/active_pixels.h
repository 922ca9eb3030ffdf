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

//! The response of images to a component, [image][row][column] with its middle at (rows / 2,
//! columns / 2), and 0 outside.
struct image_response {
    image_size size;
    std::vector<float> values;
};

/*!
 * Some pixels of images of one sky, from which components are taken:
 *
 *     value_i(p) -= amount_i response_i(p - source)
 *
 * They are sought where |sum_i w_i value_i| is highest, or, of several planes of images, the root
 * of the sum of the squares of their sums. A response stands with zeros left and right of it, so
 * that no distance along a row leaves it.
 */
class FRINGE_API active_pixels
{
public:
    //! weights: [plane][image of the plane].
    active_pixels(const image_size& size,
                  const image_response& response,
                  const std::vector<float>& weights,
                  std::size_t planes);

    //! Begins with these pixels, in rising order, and their values in images [image][pixel].
    void begin(const std::vector<std::size_t>& pixels, const float* images);
    //! The highest; `at`: which of the pixels. The first of several.
    image_peak peak() const;
    //! Of one pixel in all images.
    void values(std::size_t which, float* to) const;
    //! Takes out a source at one of the pixels.
    void take(std::size_t which, const float* amounts);

private:
    void seek(std::size_t first, std::size_t count);
    const float* sought() const
    {
        return d_images == 1 ? d_values.data() : d_sought.data();
    }

    const image_size d_size, d_response_size;
    const std::size_t d_images, d_planes, d_pitch;
    const std::vector<float> d_weights;
    std::vector<float> d_response;     // [image][row][pitch]: zeros, the row
    std::vector<std::int32_t> d_place; // of each pixel: row * pitch + column
    std::vector<float> d_values;       // [image][which]
    std::vector<float> d_sought;       // of several images
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_ACTIVE_PIXELS_H */
