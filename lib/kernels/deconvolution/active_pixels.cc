/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/active_pixels.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t lanes = 16;

FRINGE_SIMD void subtract(const float* __restrict psf,
                          std::int32_t shift,
                          const std::int32_t* __restrict place,
                          std::size_t count,
                          float amount,
                          float* __restrict values)
{
    for (std::size_t k = 0; k < count; k++) {
        values[k] -= amount * psf[place[k] + shift];
    }
}

FRINGE_SIMD float largest(const float* values, std::size_t count)
{
    float maximum[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (std::size_t n = 0; n < lanes; n++) {
            const float size = std::abs(values[k + n]);
            maximum[n] = size > maximum[n] ? size : maximum[n];
        }
    }
    for (; k < count; k++) {
        maximum[0] = std::max(maximum[0], std::abs(values[k]));
    }
    return *std::max_element(maximum, maximum + lanes);
}

//! sum += weight * values
FRINGE_SIMD void
add(const float* values, std::size_t count, float weight, float* __restrict sum)
{
    for (std::size_t k = 0; k < count; k++) {
        sum[k] += weight * values[k];
    }
}

} // namespace

active_pixels::active_pixels(const image_size& size,
                             const image_response& response,
                             const std::vector<float>& weights,
                             std::size_t planes)
    // Zeros for half a row on either side: one row's right is the next one's left.
    : d_size(size),
      d_response_size(response.size),
      d_images(weights.size()),
      d_planes(planes),
      d_pitch(size.columns + response.size.columns / 2 + 1),
      d_weights(weights),
      d_response(d_images * (response.size.rows + 1) * d_pitch)
{
    const std::size_t rows = response.size.rows, columns = response.size.columns;
    for (std::size_t i = 0; i < d_images; i++) {
        for (std::size_t r = 0; r < rows; r++) {
            std::copy_n(&response.values[(i * rows + r) * columns],
                        columns,
                        &d_response[(i * (rows + 1) + r + 1) * d_pitch - columns]);
        }
    }
}

void active_pixels::begin(const std::vector<std::size_t>& pixels, const float* images)
{
    d_place.clear();
    d_values.clear();
    for (const std::size_t at : pixels) {
        d_place.push_back(
            std::int32_t(at / d_size.columns * d_pitch + at % d_size.columns));
    }
    for (std::size_t i = 0; i < d_images; i++) {
        const float* image = images + i * d_size.pixels();
        for (const std::size_t at : pixels) {
            d_values.push_back(image[at]);
        }
    }
    d_sought.resize(d_images == 1 ? 0 : pixels.size());
    seek(0, pixels.size());
}

//! What is sought in some of the pixels, anew.
void active_pixels::seek(std::size_t first, std::size_t count)
{
    if (d_images == 1) {
        return;
    }
    const std::size_t of_plane = d_images / d_planes, pixels = d_place.size();
    float* const to = &d_sought[first];
    std::fill_n(to, count, 0.f);
    if (d_planes == 1) {
        for (std::size_t i = 0; i < d_images; i++) {
            add(&d_values[i * pixels + first], count, d_weights[i], to);
        }
        return;
    }
    std::vector<float> mean(count);
    for (std::size_t p = 0; p < d_planes; p++) {
        std::fill(mean.begin(), mean.end(), 0.f);
        for (std::size_t i = p * of_plane; i < (p + 1) * of_plane; i++) {
            add(&d_values[i * pixels + first], count, d_weights[i], mean.data());
        }
        for (std::size_t k = 0; k < count; k++) {
            to[k] += mean[k] * mean[k];
        }
    }
    for (std::size_t k = 0; k < count; k++) {
        to[k] = std::sqrt(to[k]);
    }
}

image_peak active_pixels::peak() const
{
    const float* const values = sought();
    const std::size_t count = d_place.size();
    const float maximum = largest(values, count);
    std::size_t k = 0;
    while (k < count && std::abs(values[k]) != maximum) {
        k++;
    }
    return k < count ? image_peak{k, values[k]} : image_peak{};
}

void active_pixels::values(std::size_t which, float* to) const
{
    for (std::size_t i = 0; i < d_images; i++) {
        to[i] = d_values[i * d_place.size() + which];
    }
}

void active_pixels::take(std::size_t which, const float* amounts)
{
    // The source's row and column are at the middle of the response.
    const long pitch = long(d_pitch), source = d_place[which], row = source / pitch;
    const long rows = long(d_response_size.rows), middle = rows / 2;
    const auto at_row = [&](long r) {
        return std::lower_bound(d_place.begin(), d_place.end(), std::int32_t(r * pitch)) -
               d_place.begin();
    };
    const long first = at_row(std::max(0L, row - middle));
    const long last = at_row(std::min(row - middle + rows, long(d_size.rows)));
    const long columns = long(d_response_size.columns);
    const long shift = middle * pitch + pitch - columns + columns / 2 - source;
    for (std::size_t i = 0; i < d_images; i++) {
        subtract(&d_response[i * std::size_t(rows + 1) * d_pitch],
                 std::int32_t(shift),
                 d_place.data() + first,
                 std::size_t(last - first),
                 amounts[i],
                 d_values.data() + long(i * d_place.size()) + first);
    }
    seek(std::size_t(first), std::size_t(last - first));
}

} // namespace gr::fringe::kernels
