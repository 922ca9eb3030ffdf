/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/scale_space.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace gr::fringe::kernels {

namespace {

//! Half the side of the middle of the response to a point, in pixels.
constexpr double patch_half = 48;
//! A scale to which the baselines respond less is never chosen.
constexpr float least_response = 1e-4f;

std::vector<scale_shape> shapes_of(const std::vector<double>& diameters)
{
    return {diameters.begin(), diameters.end()};
}

//! A point spread function of the image's size, and a shape or two.
image_size largest_kernel(const image_size& size, const std::vector<double>& diameters)
{
    const double largest = *std::max_element(diameters.begin(), diameters.end());
    const std::size_t more = largest > 0 ? 2 * std::size_t(largest) + 2 : 0;
    return {size.columns + more, size.rows + more};
}

} // namespace

scale_space::scale_space(const joint_params& params,
                         const image_size& size,
                         const float* psf)
    : d_size(size),
      d_planes(params.planes),
      d_shapes(shapes_of(params.scales)),
      d_only_points(std::all_of(d_shapes.begin(),
                                d_shapes.end(),
                                [](const scale_shape& s) { return s.diameter == 0; })),
      d_convolution(
          std::make_unique<image_convolution>(size, largest_kernel(size, params.scales))),
      d_responses(params.scales.size() * params.weights.size()),
      d_patches(d_shapes.size())
{
    const std::size_t of_plane = params.weights.size() / d_planes;
    for (std::size_t p = 0; p < d_planes; p++) {
        const auto begin = params.weights.begin() + long(p * of_plane);
        const double sum = std::accumulate(begin, begin + long(of_plane), 0.0);
        std::transform(begin,
                       begin + long(of_plane),
                       std::back_inserter(d_weights),
                       [&](double w) { return float(w / (sum * double(d_planes))); });
    }
    double smallest = 0;
    for (std::size_t k = 0; k < scales(); k++) {
        const double d = d_shapes[k].diameter;
        smallest = d > 0 && (smallest == 0 || d < smallest) ? d : smallest;
        d_patches[k].size = size;
        if (!d_only_points || images() > 1) {
            const std::size_t half =
                std::min({std::size_t(patch_half + d), size.columns / 2, size.rows / 2});
            d_patches[k].size = {2 * half + 1, 2 * half + 1};
        }
        d_patches[k].values.resize(d_patches[k].size.pixels() * images());
    }
    d_means.assign(scales(), std::vector<float>(size.pixels()));
    find_responses(psf);
    for (std::size_t k = 0; k < scales(); k++) {
        float mean = 0;
        for (std::size_t i = 0; i < images(); i++) {
            mean += d_weights[i] * response(k, i);
        }
        d_factors.push_back(mean > least_response
                                ? float(scale_preference(d_shapes[k].diameter,
                                                         smallest,
                                                         params.scale_bias)) /
                                      std::sqrt(mean)
                                : 0);
    }
    d_means.clear();
}

void scale_space::find_responses(const float* psf)
{
    const std::size_t pixels = d_size.pixels();
    for (std::size_t i = 0; i < images(); i++) {
        d_psf.push_back(d_convolution->transformed(d_size, psf + i * pixels));
    }
    d_kernel.resize(scales());
    std::vector<float> whole(pixels);
    for (std::size_t k = 0; k < scales(); k++) {
        auto& shape = d_kernel[k];
        if (!is_point(k)) {
            shape = d_convolution->transformed_even(d_shapes[k].size,
                                                    d_shapes[k].values.data());
        }
        for (std::size_t i = 0; i < images(); i++) {
            const float* response = psf + i * pixels;
            if (!is_point(k)) {
                std::fill(whole.begin(), whole.end(), 0.0f);
                d_convolution->add(response, {&shape, &shape}, 1, whole.data());
                response = whole.data();
            }
            respond(response, k, i);
        }
        find_outside(k);
    }
}

//! Keeps the middle of a response of the size of the image.
void scale_space::respond(const float* response, std::size_t k, std::size_t image)
{
    auto& p = d_patches[k];
    const std::size_t first = d_size.rows / 2 - p.size.rows / 2,
                      left = d_size.columns / 2 - p.size.columns / 2;
    for (std::size_t r = 0; r < p.size.rows; r++) {
        for (std::size_t c = 0; c < p.size.columns; c++) {
            // The patch of an image with even sides may reach beyond its last row or column.
            const std::size_t y = first + r, x = left + c;
            p.values[(image * p.size.rows + r) * p.size.columns + c] =
                y < d_size.rows && x < d_size.columns ? response[y * d_size.columns + x]
                                                      : 0;
        }
    }
    d_responses[k * images() + image] =
        response[d_size.rows / 2 * d_size.columns + d_size.columns / 2];
    for (std::size_t at = 0; at < d_size.pixels(); at++) {
        d_means[k][at] += d_weights[image] * response[at];
    }
}

void scale_space::find_outside(std::size_t k)
{
    const auto& size = d_patches[k].size;
    const std::size_t rows = d_size.rows / 2, columns = d_size.columns / 2;
    float maximum = 0;
    for (std::size_t at = 0; at < d_size.pixels(); at++) {
        // Places before the patch are large numbers.
        if (at / d_size.columns + size.rows / 2 - rows >= size.rows ||
            at % d_size.columns + size.columns / 2 - columns >= size.columns) {
            maximum = std::max(maximum, std::abs(d_means[k][at]));
        }
    }
    const float center = d_means[k][rows * d_size.columns + columns];
    d_patches[k].outside = center > least_response ? maximum / center : 0;
}

const float* scale_space::mean(const float* all, std::size_t plane)
{
    const std::size_t of_plane = images() / d_planes;
    if (of_plane == 1) {
        return all + plane * d_size.pixels();
    }
    d_mean.assign(d_size.pixels(), 0);
    for (std::size_t i = plane * of_plane; i < (plane + 1) * of_plane; i++) {
        const float* image = all + i * d_size.pixels();
        const float weight = float(d_planes) * d_weights[i];
        for (std::size_t at = 0; at < d_mean.size(); at++) {
            d_mean[at] += weight * image[at];
        }
    }
    return d_mean.data();
}

void scale_space::forget_middles()
{
    for (auto& patch : d_patches) {
        patch.values = {};
    }
}

std::vector<float> scale_space::weights_of_planes() const
{
    auto weights = d_weights;
    for (float& weight : weights) {
        weight *= float(d_planes);
    }
    return weights;
}

void scale_space::mean_on_scales(const float* mean,
                                 std::vector<std::vector<float>>& to) const
{
    for (std::size_t k = 0; k < scales(); k++) {
        if (!is_point(k)) {
            to[k].assign(d_size.pixels(), 0);
            d_convolution->add(mean, {&d_kernel[k]}, 1, to[k].data());
        }
    }
}

void scale_space::on_scale(std::size_t k, const float* all, float* to) const
{
    std::fill_n(to, images() * d_size.pixels(), 0.0f);
    for (std::size_t i = 0; i < images(); i++) {
        const std::size_t first = i * d_size.pixels();
        d_convolution->add(all + first, {&d_kernel[k]}, 1, to + first);
    }
}

void scale_space::subtract(std::size_t k, const float* components, float* all) const
{
    for (std::size_t i = 0; i < images(); i++) {
        const std::size_t first = i * d_size.pixels();
        if (is_point(k)) {
            d_convolution->add(components + first, {&d_psf[i]}, -1, all + first);
        } else {
            d_convolution->add(
                components + first, {&d_kernel[k], &d_psf[i]}, -1, all + first);
        }
    }
}

void scale_space::draw(std::size_t k,
                       const std::vector<std::size_t>& pixels,
                       const float* components,
                       float* model) const
{
    const auto& shape = d_shapes[k];
    const long half = long(shape.size.rows / 2), columns = long(d_size.columns);
    for (const std::size_t at : pixels) {
        const long row = long(at) / columns, column = long(at) % columns;
        const long left = std::max(-half, -column),
                   right = std::min(half, columns - 1 - column);
        for (long r = std::max(-half, -row); r <= half && row + r < long(d_size.rows);
             r++) {
            const float* values =
                &shape.values[std::size_t((r + half) * (2 * half + 1) + half)];
            for (std::size_t i = 0; i < images(); i++) {
                const float amount = components[i * d_size.pixels() + at];
                float* to = model + i * d_size.pixels() + (row + r) * columns + column;
                for (long c = left; c <= right; c++) {
                    to[c] += amount * values[c];
                }
            }
        }
    }
}

} // namespace gr::fringe::kernels
