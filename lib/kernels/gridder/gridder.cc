/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/gridder.h"
#include "kernels/base/require.h"
#include "kernels/gridder/backends.h"
#include "kernels/gridder/separable/device.h"
#include "kernels/gridder/wprojection/w_kernels.h"
#include <cmath>

namespace gr::fringe::kernels {

namespace {

const std::string me = "gridder";
constexpr std::size_t max_pixels = 32768; // a side

void check_axis(const char* size, std::size_t pixels, const char* step, double cosine)
{
    require(me,
            pixels >= 1 && pixels <= max_pixels,
            std::string(size) + " is " + std::to_string(pixels) + "; it must be 1 to " +
                std::to_string(max_pixels));
    require(me,
            cosine > 0 && cosine <= 1,
            std::string(step) + " is " + std::to_string(cosine) +
                "; it is a direction cosine, above 0 and at most 1");
}

void check(const gridder_params& p)
{
    check_axis("columns", p.columns, "pixel_l", p.pixel_l);
    check_axis("rows", p.rows, "pixel_m", p.pixel_m);
    require(me,
            p.epsilon >= 2e-6 && p.epsilon <= 0.1,
            "epsilon is " + std::to_string(p.epsilon) +
                "; single precision serves 2e-6 to 0.1");
    require(me,
            p.polarizations == 1 || p.polarizations == 2 || p.polarizations == 4,
            "polarizations is " + std::to_string(p.polarizations) +
                "; it must be 1, 2 or 4");
    require(me,
            p.support == 0 || (p.support >= w_kernels::min_support &&
                               p.support <= w_kernels::max_support && p.support % 2 == 0),
            "support is " + std::to_string(p.support) +
                "; it must be 0 or an even number of cells, 8 to 128");
    require(me,
            p.w_planes <= 65536,
            "w_planes is " + std::to_string(p.w_planes) +
                "; it must be 0 (chosen) to 65536");
}

void check(const visibility_rows& at)
{
    for (std::size_t c = 0; c < at.channels; c++) {
        require(me,
                std::isfinite(at.frequencies[c]) && at.frequencies[c] >= 0,
                "the frequency of channel " + std::to_string(c) + " is " +
                    std::to_string(at.frequencies[c]) + " Hz; it must be 0 or more");
    }
}

//! A row in which a visibility has weight must have finite uvw.
void check_places(const visibility_rows& at, const float* weights)
{
    for (std::size_t r = 0; r < at.rows; r++) {
        const double* b = at.uvw + 3 * r;
        if (std::isfinite(b[0]) && std::isfinite(b[1]) && std::isfinite(b[2])) {
            continue;
        }
        for (std::size_t c = 0; c < at.channels; c++) {
            require(me,
                    !(weights[r * at.channels + c] > 0),
                    "u, v, w of row " + std::to_string(r) +
                        " are not finite numbers, and its visibilities have weight");
        }
    }
}

} // namespace

gridder_params::method gridder_method_from_name(const std::string& name)
{
    require(me,
            name == "separable" || name == "w_projection" || name == "direct",
            "method is \"" + name + "\"; it must be separable, w_projection or direct");
    return name == "direct"         ? gridder_params::method::direct
           : name == "w_projection" ? gridder_params::method::w_projection
                                    : gridder_params::method::separable;
}

void gridder::grid(const visibility_rows& at,
                   const std::complex<float>* data,
                   const float* weights,
                   float* images)
{
    check(at);
    for (std::size_t k = 0; k < d_p.polarizations; k++) {
        check_places(at, weights + k * at.rows * at.channels);
    }
    grid_all(at, data, weights, images);
}

void gridder::grid_all(const visibility_rows& at,
                       const std::complex<float>* data,
                       const float* weights,
                       float* images)
{
    const std::size_t values = at.rows * at.channels, pixels = d_p.columns * d_p.rows;
    for (std::size_t k = 0; k < d_p.polarizations; k++) {
        grid_one(at, data + k * values, weights + k * values, images + k * pixels);
    }
}

void gridder::degrid(const visibility_rows& at,
                     const float* images,
                     std::complex<float>* data)
{
    check(at);
    degrid_all(at, images, data);
}

void gridder::degrid_all(const visibility_rows& at,
                         const float* images,
                         std::complex<float>* data)
{
    const std::size_t values = at.rows * at.channels, pixels = d_p.columns * d_p.rows;
    for (std::size_t k = 0; k < d_p.polarizations; k++) {
        degrid_one(at, images + k * pixels, data + k * values);
    }
}

std::unique_ptr<gridder> make_gridder(const compute_target& which,
                                      const gridder_params& p)
{
    check(p);
    if (p.how == gridder_params::method::w_projection) {
        return make_w_projection_gridder(which, p);
    }
    const bool direct = p.how == gridder_params::method::direct;
    if (which.kind == backend::generic) {
        return direct ? make_generic_direct_gridder(p) : make_generic_gridder(p);
    }
    if (direct) {
        return make_cpu_direct_gridder(p);
    }
    return which.kind == backend::cuda ? separable_factory().make(which, p)
                                       : make_cpu_gridder(p);
}

} // namespace gr::fringe::kernels
