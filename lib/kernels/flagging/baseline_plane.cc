/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/baseline_plane.h"
#include "kernels/base/simd.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

// The mean number of samples of the cells that count, in units of weight x seconds; 0 when
// all have the same.
double usual_weight(const rfi_window& w,
                    std::size_t baselines,
                    std::size_t baseline,
                    const flag_plane& plane)
{
    double sum = 0, least = 0, maximum = 0;
    std::size_t count = 0;
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t c = 0; c < plane.channels; ++c) {
            if (plane.used[t * plane.channels + c]) {
                const double n = w.weights[t][c * baselines + baseline] * w.seconds[t];
                least = count > 0 ? std::min(least, n) : n;
                maximum = std::max(maximum, n);
                sum += n;
                ++count;
            }
        }
    }
    return least < 0.999 * maximum ? sum / static_cast<double>(count) : 0;
}

// Weights of the cells in units of the usual one.
void read_weights(const rfi_window& w,
                  std::size_t baselines,
                  std::size_t baseline,
                  double usual,
                  const flag_plane& plane,
                  std::vector<float>& weight)
{
    weight.resize(plane.cells());
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t c = 0; c < plane.channels; ++c) {
            weight[t * plane.channels + c] = static_cast<float>(
                w.weights[t][c * baselines + baseline] * w.seconds[t] / usual);
        }
    }
}

// The level of a power does not depend on the weight, its scatter does.
void trust_by_weight(flag_plane& plane, const std::vector<float>& weight)
{
    plane.trust.resize(plane.cells());
    for (std::size_t k = 0; k < plane.cells(); ++k) {
        plane.trust[k] = std::sqrt(std::min(weight[k], 1.0f));
    }
}

} // namespace

// Cube roots in place, to 1e-6: a third of the exponent, then Halley's method twice.
FRINGE_SIMD static void cube_roots(float* x, std::size_t n)
{
    for (std::size_t k = 0; k < n; ++k) {
        std::uint32_t bits;
        std::memcpy(&bits, &x[k], sizeof(bits));
        bits = bits / 3 + 0x2a5137a0;
        float y;
        std::memcpy(&y, &bits, sizeof(y));
        for (int pass = 0; pass < 2; ++pass) {
            const float cube = y * y * y;
            y *= (cube + 2 * x[k]) / (2 * cube + x[k]);
        }
        x[k] = y;
    }
}

bool is_power(std::size_t baseline, std::size_t inputs)
{
    for (std::size_t i = 0; i < inputs; ++i) {
        const std::size_t own = baseline_index(i, i, inputs);
        if (own >= baseline) {
            return own == baseline;
        }
    }
    return false;
}

void read_planes(const rfi_window& w,
                 std::size_t baselines,
                 std::size_t inputs,
                 std::size_t first,
                 std::size_t count,
                 weight_levels& levels,
                 flag_plane* planes)
{
    std::vector<float> weight;
    bool power[planes_at_once];
    for (std::size_t k = 0; k < count; ++k) {
        power[k] = is_power(first + k, inputs);
    }
    const std::size_t channels = planes[0].channels;
    constexpr float largest = 1e37f; // beyond, sums would not be finite
    for (std::size_t t = 0; t < planes[0].dumps; ++t) {
        for (std::size_t c = 0; c < channels; ++c) {
            const std::size_t at = c * baselines + first;
            for (std::size_t k = 0; k < count; ++k) {
                const std::complex<float> v = w.visibilities[t][at + k];
                const float x = power[k] ? std::max(v.real(), 0.0f)
                                         : v.real() * v.real() + v.imag() * v.imag();
                const bool good = x < largest && w.weights[t][at + k] > 0 &&
                                  !(w.flags[t][at + k] & not_searched);
                planes[k].value[t * channels + c] = good ? x : 0.0f;
                planes[k].used[t * channels + c] = good;
            }
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        cube_roots(planes[k].value.data(), planes[k].cells());
        const double usual = usual_weight(w, baselines, first + k, planes[k]);
        if (usual > 0) {
            read_weights(w, baselines, first + k, usual, planes[k], weight);
            if (power[k]) {
                trust_by_weight(planes[k], weight);
            } else {
                levels.equalize(planes[k], weight);
            }
        }
    }
}

void write_found(const rfi_window& w,
                 std::size_t baselines,
                 std::size_t baseline,
                 const flag_plane& plane)
{
    for (std::size_t t = w.first_new; t < plane.dumps; ++t) {
        for (std::size_t c = 0; c < plane.channels; ++c) {
            w.flags[t][c * baselines + baseline] |= plane.found[t * plane.channels + c];
        }
    }
}

} // namespace gr::fringe::kernels
