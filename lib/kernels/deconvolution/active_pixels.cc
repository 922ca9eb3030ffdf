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
    float most[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (std::size_t n = 0; n < lanes; n++) {
            const float size = std::abs(values[k + n]);
            most[n] = size > most[n] ? size : most[n];
        }
    }
    for (; k < count; k++) {
        most[0] = std::max(most[0], std::abs(values[k]));
    }
    return *std::max_element(most, most + lanes);
}

} // namespace

active_pixels::active_pixels(const image_size& size, const float* psf)
    // Half a row of zeros on either side: one row's right is the next one's left.
    : d_size(size),
      d_pitch(size.columns + size.columns / 2 + 1),
      d_psf((size.rows + 1) * d_pitch)
{
    for (std::size_t r = 0; r < size.rows; r++) {
        std::copy_n(psf + r * size.columns,
                    size.columns,
                    &d_psf[r * d_pitch + d_pitch - size.columns]);
    }
}

void active_pixels::begin(const std::vector<std::size_t>& pixels, const float* image)
{
    d_place.clear();
    d_values.clear();
    for (const std::size_t at : pixels) {
        d_place.push_back(
            std::int32_t(at / d_size.columns * d_pitch + at % d_size.columns));
        d_values.push_back(image[at]);
    }
    d_taken.assign(pixels.size(), 0.f);
}

image_peak active_pixels::peak() const
{
    const float most = largest(d_values.data(), d_values.size());
    std::size_t k = 0;
    while (k < d_values.size() && std::abs(d_values[k]) != most) {
        k++;
    }
    return k < d_values.size() ? image_peak{k, d_values[k]} : image_peak{};
}

void active_pixels::take(std::size_t which, float amount)
{
    d_taken[which] += amount;
    // The source's row and column are at the middle of the point spread function.
    const long pitch = long(d_pitch), middle = long(d_size.rows / 2);
    const long source = d_place[which], row = source / pitch;
    const auto at_row = [&](long r) {
        return std::lower_bound(d_place.begin(), d_place.end(), std::int32_t(r * pitch)) -
               d_place.begin();
    };
    const long first = at_row(std::max(0L, row - middle));
    const long last = at_row(std::min(row - middle, 0L) + long(d_size.rows));
    const long shift =
        middle * pitch + pitch - long(d_size.columns) + long(d_size.columns / 2) - source;
    subtract(d_psf.data(),
             std::int32_t(shift),
             d_place.data() + first,
             std::size_t(last - first),
             amount,
             d_values.data() + first);
}

} // namespace gr::fringe::kernels
