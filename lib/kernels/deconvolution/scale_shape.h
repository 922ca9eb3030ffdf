/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SHAPE_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SHAPE_H

#include "kernels/deconvolution/convolution.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * The shape of a component of multi-scale CLEAN with the diameter d, in pixels (Cornwell 2008: a
 * paraboloid with a taper; here the taper is that of Hann):
 *
 *     h(r) ~ (1 - (2 r / d)^2) (1 + cos(2 pi r / d)) / 2, r < d / 2;   sum of all pixels: 1
 *
 * It is 0.45 d wide at half of its height. d = 0 is a point.
 */
struct FRINGE_API scale_shape {
    explicit scale_shape(double diameter);

    double diameter;
    image_size size; //!< odd sides; the middle is at half of each
    std::vector<float> values;
};

/*!
 * How a scale counts beside a point (Offringa and Smirnov 2017), in units of the noise of its
 * image: (1 / (2 bias))^(1 + log2(diameter / smallest)). Less than 1 where bias is more than
 * 0.5, so that points stay points; 1 for a diameter of 0.
 */
FRINGE_API double scale_preference(double diameter, double smallest, double bias);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_SCALE_SHAPE_H */
