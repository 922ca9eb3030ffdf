/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CLEAN_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CLEAN_H

#include "kernels/deconvolution/minor_cycle.h"
#include <functional>

namespace gr::fringe::kernels {

/*!
 * CLEAN with major cycles (Cotton and Schwab; Schwab 1984).
 *
 * A minor cycle takes sources out of the image with the point spread function of its middle,
 * down to (1 - major_gain) of the highest pixel or to 1.5 times the highest sidelobe of it,
 * whichever is more, and never below the threshold (0.95 of it where a major cycle follows). A
 * major cycle makes the residual anew from the visibilities minus those of the model, which
 * takes away what the minor cycles did wrong.
 */
struct clean_params {
    minor_method how = minor_method::clark;
    double gain = 0.1;       //!< of a minor cycle: 0 to 1
    double major_gain = 0.8; //!< 0 to 1; 1 = down to the threshold at once
    std::size_t max_iterations = 1000;
    double threshold = 0; //!< it ends where |residual| is nowhere more than this
    //! ... or than this number of standard deviations of the residual, which are 1.4826 times the
    //! median deviation from the median.
    double sigmas = 0;
    //! Where a minor cycle of one image runs, whose components are points.
    compute_target where;
};

//! Why it ended.
enum class clean_end {
    threshold,  //!< nothing is above the threshold
    iterations, //!< as many components as asked for
    //! The residual got no smaller in major cycles.
    stalled,
    //! The residual grew; model and residual are the best that were found.
    diverged
};

struct clean_report {
    clean_end end = clean_end::threshold;
    std::size_t iterations = 0, major_cycles = 0;
    double peak = 0;      //!< largest |residual| where components may be
    double sigma = 0;     //!< of the residual
    double threshold = 0; //!< that held at the end
    double flux = 0;      //!< sum of the model
};

//! Writes the image of the visibilities minus those of the model.
using residual_function = std::function<void(const float* model, float* residual)>;

/*!
 * residual: the dirty image, which becomes the residual. model: is added to, from 0 on. use:
 * pixel_use of each pixel. Without a residual_function there are no major cycles. Throws
 * std::invalid_argument.
 */
FRINGE_API clean_report clean(const clean_params& params,
                              const image_size& size,
                              const float* psf,
                              const std::uint8_t* use,
                              float* residual,
                              float* model,
                              const residual_function& make_residual);

/*!
 * The same with a minor cycle, perhaps of several images, which residual and model hold one after
 * the other: levels are of its peak(), noise and flux are those of its mean(). sidelobe: the
 * highest one, see sidelobe_of().
 */
FRINGE_API clean_report clean(const clean_params& params,
                              minor_cycle& minor,
                              double sidelobe,
                              const std::uint8_t* use,
                              float* residual,
                              float* model,
                              const residual_function& make_residual);

//! The highest sidelobe of a point spread function: what the Gaussian beam does not explain.
FRINGE_API double sidelobe_of(const image_size& size, const float* psf);

//! Standard deviation, from the median deviation, of pixels that are used.
FRINGE_API double
noise_of(const image_size& size, const float* image, const std::uint8_t* use);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_CLEAN_H */
