/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DECONVOLUTION_MINOR_CYCLE_H
#define INCLUDED_FRINGE_KERNELS_DECONVOLUTION_MINOR_CYCLE_H

#include "kernels/base/compute_target.h"
#include "kernels/deconvolution/convolution.h"
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <string>

namespace gr::fringe::kernels {

//! What a pixel is used for.
namespace pixel_use {
constexpr std::uint8_t none = 0;       //!< below the horizon, say
constexpr std::uint8_t background = 1; //!< its value counts for the noise
constexpr std::uint8_t component = 2;  //!< may hold components of the model, too
} // namespace pixel_use

//! How components are found.
enum class minor_method {
    //! Hoegbom 1974: the highest pixel, minus the whole point spread function, again.
    hogbom,
    //! Clark 1980: among the highest pixels with the middle of the point spread function, and
    //! then all pixels with the whole of it by FFT.
    clark
};

//! "hogbom" or "clark"; throws std::invalid_argument.
FRINGE_API minor_method minor_method_from_name(const std::string& name);

struct minor_report {
    std::size_t iterations = 0;
    double peak = 0; //!< largest |residual| left where components may be
    //! It grew to more than twice what it was: the point spread function is not that of the
    //! image.
    bool diverged = false;
};

//! The highest pixel.
struct image_peak {
    std::size_t at = 0;
    float value = 0;
};

//! The largest |value| where `use` is pixel_use::component; the first of several.
FRINGE_API image_peak find_peak(const image_size& size,
                                const float* image,
                                const std::uint8_t* use);

/*!
 * Takes sources out of an image and puts them into a model, until the highest pixel is
 * below a level:
 *
 *     model(p) += gain residual(p);   residual -= gain residual(p) psf around p
 *
 * The point spread function has the size of the image, its center, whose value is 1, at
 * (rows / 2, columns / 2), and is 0 outside.
 */
class FRINGE_API minor_cycle
{
public:
    explicit minor_cycle(const image_size& size) : d_size(size) {}
    virtual ~minor_cycle() = default;
    image_size size() const { return d_size; }
    //! Pixels of all images that residual and model hold, one after the other.
    virtual std::size_t values() const { return d_size.pixels(); }
    //! The image whose noise and flux count, of size(): the mean of several.
    virtual const float* mean(const float* values) { return values; }
    //! The highest |value| where components may be: what levels are of.
    virtual double peak(const float* residual, const std::uint8_t* use);
    virtual minor_report run(float* residual,
                             float* model,
                             const std::uint8_t* use,
                             double gain,
                             double level,
                             std::size_t max_iterations) = 0;

protected:
    const image_size d_size;
};

//! The generic backend has Hoegbom's alone. Throws std::invalid_argument.
FRINGE_API std::unique_ptr<minor_cycle> make_minor_cycle(const compute_target& which,
                                                         minor_method how,
                                                         const image_size& size,
                                                         const float* psf);

// Those of the host; Clark's is make_joint_minor() of one image.
std::unique_ptr<minor_cycle> make_generic_minor(const image_size& size, const float* psf);
std::unique_ptr<minor_cycle> make_hogbom(const image_size& size, const float* psf);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DECONVOLUTION_MINOR_CYCLE_H */
