/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_SPECTRUM_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_SPECTRUM_H

#include "kernels/deconvolution/scale_space.h"

namespace gr::fringe::kernels {

/*!
 * Fluxes of a component in several images: of each by itself, d_i / r_i, or as a sum of functions
 * B c, where c fits best to these values with the weights w_i r_i:
 *
 *     c = (B^T W B)^-1 B^T W (d / r),  W = diag(w_i r_i)
 */
class joint_spectrum
{
public:
    joint_spectrum(const joint_params& params, const scale_space& space);
    //! gain times the fluxes of the values of the images at a pixel.
    void fluxes(std::size_t scale, const float* values, float gain, float* to) const;

private:
    const scale_space& d_space;
    //! Of each scale the matrix from values to fluxes, [image][image]; empty without functions.
    std::vector<std::vector<double>> d_fit;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_SPECTRUM_H */
