/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_MINOR_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_MINOR_H

#include "kernels/deconvolution/minor_cycle.h"
#include <vector>

namespace gr::fringe::kernels {

//! Images that are cleaned together, and the shapes of their components.
struct joint_params {
    std::vector<double> weights{1}; //!< of each image in the mean of its plane
    //! Of Stokes parameters or hands; the images of a plane follow each other.
    std::size_t planes = 1;
    //! Functions whose sum the fluxes of a component in the images are, [image][function]; empty:
    //! each image has its own.
    std::vector<double> functions;
    std::vector<double> scales{0}; //!< diameters of shapes, pixels; 0 = a point
    double scale_bias = 0.6;       //!< see scale_preference()
};

/*!
 * The minor cycle of several images i of one sky, with components of several shapes h_k
 * (multi-scale CLEAN: Cornwell 2008; joined channels: Offringa and Smirnov 2017). Residual and
 * model hold the images one after the other, [image][row][column]. A component is sought where
 * and on the scale on which
 *
 *     s_k(p) = b_k |sum_i w_i (h_k * R_i)(p)| / sqrt(sum_i w_i r_ik),  r_ik = (psf_i * h_k * h_k)(0)
 *
 * (of several planes: the root of the sum of the squares of their values, so that a component is
 * sought where all of them together are bright) is highest: the value beside the noise of the
 * image on this scale, times the preference b_k of scale_preference(). Its flux in image i is (h_k * R_i)(p) / r_ik, or the sum of the functions
 * that fits to these values with the weights w_i r_ik. The search goes on among the highest pixels
 * with the middle of the response (Clark 1980) until the highest has lost a fifth, or another
 * scale is the higher one. Then all images lose what was found by FFT.
 *
 * psf: [image][row][column], each with 1 at its center. Levels and peaks are values of s_k, which
 * of points alone are those of the mean image; noise and flux are those of the first plane. Throws
 * std::invalid_argument.
 */
FRINGE_API std::unique_ptr<minor_cycle>
make_joint_minor(const joint_params& params, const image_size& size, const float* psf);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_JOINT_MINOR_H */
