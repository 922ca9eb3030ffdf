/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_BEAM_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_BEAM_H

#include "kernels/deconvolution/convolution.h"
#include <gnuradio/fringe/api.h>
#include <optional>

namespace gr::fringe::kernels {

//! An elliptical Gaussian of height 1.
struct gaussian_beam {
    double major = 0, minor = 0; //!< widths at half maximum, direction cosines
    double angle = 0; //!< of the major axis, from north (m) to east (l), radians, 0 to pi
};

/*!
 * The Gaussian that fits best (least squares) to the main lobe of a point spread function:
 * to the pixels above 0.35 that are connected to the center, (rows / 2, columns / 2), whose
 * value is 1. None where the lobe reaches the border or has too few pixels for an ellipse.
 * pixel_l, pixel_m: direction cosines of a pixel.
 */
FRINGE_API std::optional<gaussian_beam>
fit_beam(const image_size& size, const float* psf, double pixel_l, double pixel_m);

//! Adds the model, convolved with the beam, to an image.
FRINGE_API void restore(const image_size& size,
                        const float* model,
                        const gaussian_beam& beam,
                        double pixel_l,
                        double pixel_m,
                        float* image);

//! The beam at direction cosines from its center.
FRINGE_API double beam_at(const gaussian_beam& beam, double l, double m);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_BEAM_H */
