/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/minor_cycle.h"
#include "kernels/base/require.h"
#include "kernels/deconvolution/device.h"
#include "kernels/deconvolution/joint_minor.h"
#include <cmath>

namespace gr::fringe::kernels {

minor_method minor_method_from_name(const std::string& name)
{
    require(name == "hogbom" || name == "clark",
            "CLEAN",
            "method",
            name,
            "must be hogbom or clark");
    return name == "hogbom" ? minor_method::hogbom : minor_method::clark;
}

image_peak find_peak(const image_size& size, const float* image, const std::uint8_t* use)
{
    image_peak peak;
    for (std::size_t k = 0; k < size.pixels(); k++) {
        if (use[k] == pixel_use::component && std::abs(image[k]) > std::abs(peak.value)) {
            peak = {k, image[k]};
        }
    }
    return peak;
}

double minor_cycle::peak(const float* residual, const std::uint8_t* use)
{
    return double(std::abs(find_peak(d_size, residual, use).value));
}

std::unique_ptr<minor_cycle> make_minor_cycle(const compute_target& which,
                                              minor_method how,
                                              const image_size& size,
                                              const float* psf)
{
    require("CLEAN", size.pixels() > 0, "an image has no pixels");
    const float center = psf[size.rows / 2 * size.columns + size.columns / 2];
    require(std::abs(center - 1) < 1e-3f,
            "CLEAN",
            "the point spread function's center",
            center,
            "must be 1");
    if (which.kind == backend::cuda) {
        return minor_cycle_factory().make(which, how, size, psf);
    }
    if (which.kind == backend::generic) {
        return make_generic_minor(size, psf);
    }
    return how == minor_method::hogbom ? make_hogbom(size, psf)
                                       : make_joint_minor({}, size, psf);
}

} // namespace gr::fringe::kernels
