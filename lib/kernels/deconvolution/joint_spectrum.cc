/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/joint_spectrum.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

//! A response that is smaller, by that to a point, says nothing of a flux.
constexpr float least = 1e-6f;
//! An image whose response is less than this part of the mean's counts as if it had as much.
constexpr float least_of_mean = 0.25f;

/*!
 * Vectors q that span the functions and are orthonormal with some weights, so that the fit is
 * sum_q q (q^T W d) (modified Gram-Schmidt).
 */
std::vector<std::vector<double>> orthonormal(const std::vector<double>& functions,
                                             const std::vector<double>& weights)
{
    const std::size_t images = weights.size(), count = functions.size() / images;
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < images; i++) {
            sum += weights[i] * a[i] * b[i];
        }
        return sum;
    };
    std::vector<std::vector<double>> found;
    for (std::size_t n = 0; n < count; n++) {
        std::vector<double> q(images);
        for (std::size_t i = 0; i < images; i++) {
            q[i] = functions[i * count + n];
        }
        const double before = std::sqrt(product(q, q));
        for (const auto& other : found) {
            const double part = product(other, q);
            for (std::size_t i = 0; i < images; i++) {
                q[i] -= part * other[i];
            }
        }
        const double norm = std::sqrt(product(q, q));
        require("CLEAN",
                norm > 1e-9 * before,
                "the images do not determine so many terms of a spectrum");
        for (auto& value : q) {
            value /= norm;
        }
        found.push_back(q);
    }
    return found;
}

} // namespace

joint_spectrum::joint_spectrum(const joint_params& params, const scale_space& space)
    : d_space(space)
{
    if (params.functions.empty()) {
        return;
    }
    const std::size_t images = space.images();
    require("CLEAN",
            params.functions.size() % images == 0,
            "functions of spectra must be an array [image][function]");
    for (std::size_t k = 0; k < space.scales(); k++) {
        std::vector<double> weights;
        for (std::size_t i = 0; i < images; i++) {
            weights.push_back(double(space.weight(i)) *
                              double(std::max(space.response(k, i), least)));
        }
        std::vector<double> fit(images * images);
        for (const auto& q : orthonormal(params.functions, weights)) {
            for (std::size_t i = 0; i < images; i++) {
                for (std::size_t j = 0; j < images; j++) {
                    // The weight of a value's flux d / r, w r, and the 1 / r of the flux.
                    fit[i * images + j] += q[i] * q[j] * double(space.weight(j));
                }
            }
        }
        d_fit.push_back(fit);
    }
}

void joint_spectrum::fluxes(std::size_t scale,
                            const float* values,
                            float gain,
                            float* to) const
{
    const std::size_t images = d_space.images();
    float mean = least;
    for (std::size_t i = 0; i < images; i++) {
        mean += d_space.weight(i) * d_space.response(scale, i);
    }
    for (std::size_t i = 0; i < images; i++) {
        if (d_fit.empty()) {
            to[i] = gain * values[i] /
                    std::max(d_space.response(scale, i), least_of_mean * mean);
            continue;
        }
        double sum = 0;
        for (std::size_t j = 0; j < images; j++) {
            sum += d_fit[scale][i * images + j] * double(values[j]);
        }
        to[i] = gain * float(sum);
    }
}

} // namespace gr::fringe::kernels
