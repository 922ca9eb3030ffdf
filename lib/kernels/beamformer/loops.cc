/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/loops.h"
#include "kernels/base/simd.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

template <class In>
__attribute__((always_inline)) inline void
bring(const In* row, std::size_t count, std::size_t stride, float* lanes)
{
    for (; count >= beam_lanes; count -= beam_lanes) {
        for (std::size_t n = 0; n < beam_lanes; n++) {
            lanes[n] = static_cast<float>(row[2 * n]);
            lanes[beam_lanes + n] = static_cast<float>(row[2 * n + 1]);
        }
        row += beam_step;
        lanes += stride;
    }
    if (count > 0) {
        for (std::size_t n = 0; n < beam_lanes; n++) {
            lanes[n] = n < count ? static_cast<float>(row[2 * n]) : 0;
            lanes[beam_lanes + n] = n < count ? static_cast<float>(row[2 * n + 1]) : 0;
        }
    }
}

__attribute__((always_inline)) inline double sum_of(const floats& lanes)
{
    double sum = 0;
    for (std::size_t n = 0; n < beam_lanes; n++) {
        sum += static_cast<double>(lanes[n]);
    }
    return sum;
}

template <std::size_t width>
__attribute__((always_inline)) inline void form(const float* inputs,
                                                std::size_t stride,
                                                const std::uint32_t* offsets,
                                                std::size_t used,
                                                const float* weights,
                                                std::size_t steps,
                                                float* const* beams)
{
    for (std::size_t s = 0; s < steps; s++) {
        const float* const vectors = inputs + s * stride;
        floats re[width] = {}, im[width] = {}, x, y;
        for (std::size_t k = 0; k < used; k++) {
            load(x, vectors + offsets[k]);
            load(y, vectors + offsets[k] + beam_lanes);
            const float* const w = weights + k * 2 * width;
            for (std::size_t b = 0; b < width; b++) {
                re[b] += w[2 * b] * x;
                im[b] += w[2 * b] * y;
                re[b] -= w[2 * b + 1] * y;
                im[b] += w[2 * b + 1] * x;
            }
        }
        for (std::size_t b = 0; b < width; b++) {
            store(re[b], beams[b] + s * beam_step);
            store(im[b], beams[b] + s * beam_step + beam_lanes);
        }
    }
}

} // namespace

FRINGE_SIMD void
to_lanes(const float* row, std::size_t count, std::size_t stride, float* lanes)
{
    bring(row, count, stride, lanes);
}

FRINGE_SIMD void
to_lanes(const std::int8_t* row, std::size_t count, std::size_t stride, float* lanes)
{
    bring(row, count, stride, lanes);
}

FRINGE_SIMD void from_lanes(const float* lanes, std::size_t count, float* row)
{
    for (; count >= beam_lanes; count -= beam_lanes) {
        for (std::size_t n = 0; n < beam_lanes; n++) {
            row[2 * n] = lanes[n];
            row[2 * n + 1] = lanes[beam_lanes + n];
        }
        row += beam_step;
        lanes += beam_step;
    }
    for (std::size_t n = 0; n < count; n++) {
        row[2 * n] = lanes[n];
        row[2 * n + 1] = lanes[beam_lanes + n];
    }
}

FRINGE_SIMD void form_beams(const float* inputs,
                            std::size_t stride,
                            const std::uint32_t* offsets,
                            std::size_t used,
                            const float* weights,
                            std::size_t width,
                            std::size_t steps,
                            float* const* beams)
{
    if (width == 1) {
        form<1>(inputs, stride, offsets, used, weights, steps, beams);
    } else if (width == 2) {
        form<2>(inputs, stride, offsets, used, weights, steps, beams);
    } else {
        form<beams_at_once>(inputs, stride, offsets, used, weights, steps, beams);
    }
}

FRINGE_SIMD double power_of(const float* lanes, std::size_t steps, std::size_t stride)
{
    floats sum = {}, x, y;
    for (std::size_t s = 0; s < steps; s++) {
        load(x, lanes + s * stride);
        load(y, lanes + s * stride + beam_lanes);
        sum += x * x;
        sum += y * y;
    }
    return sum_of(sum);
}

FRINGE_SIMD void
product_of(const float* a, const float* b, std::size_t steps, double* sum)
{
    floats re = {}, im = {}, ar, ai, br, bi;
    for (std::size_t s = 0; s < steps; s++) {
        load(ar, a + s * beam_step);
        load(ai, a + s * beam_step + beam_lanes);
        load(br, b + s * beam_step);
        load(bi, b + s * beam_step + beam_lanes);
        re += ar * br;
        im += ai * br;
        re += ai * bi;
        im -= ar * bi;
    }
    sum[0] = sum_of(re);
    sum[1] = sum_of(im);
}

} // namespace gr::fringe::kernels
