/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/running_median.h"
#include "kernels/simd.h"
#include <algorithm>
#include <array>
#include <limits>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr std::size_t length = running_median::length;
constexpr std::size_t lanes = 8;

struct exchange {
    std::uint8_t low, high;
};

constexpr std::size_t exchanges = 191; // of Batcher's network for 32 values

// Batcher's merge exchange: Knuth, The Art of Computer Programming 3, 5.2.2 M.
constexpr std::array<exchange, exchanges> merge_exchange()
{
    std::array<exchange, exchanges> network{};
    std::size_t n = 0;
    for (std::size_t p = length / 2; p > 0; p /= 2) {
        std::size_t q = length / 2, r = 0, d = p;
        while (true) {
            for (std::size_t i = 0; i < length - d; i++) {
                if ((i & p) == r) {
                    network[n++] = {static_cast<std::uint8_t>(i),
                                    static_cast<std::uint8_t>(i + d)};
                }
            }
            if (q == p) {
                break;
            }
            d = q - p;
            q /= 2;
            r = p;
        }
    }
    return network;
}

} // namespace

// Medians of the rows' columns: what is not there yet counts as infinite. The network is
// laid out at compile time, so that its values stay in registers.
FRINGE_SIMD static void medians_of(const float* rows,
                                   std::size_t stride,
                                   std::size_t count,
                                   std::size_t filled,
                                   float* medians)
{
    constexpr auto network = merge_exchange();
    for (std::size_t at = 0; at < count; at += lanes) {
        floats v[length];
#pragma GCC unroll 32
        for (std::size_t k = 0; k < length; k++) {
            v[k] = floats{} + std::numeric_limits<float>::infinity();
            if (k < filled) {
                load(v[k], rows + k * stride + at);
            }
        }
#pragma GCC unroll 191
        for (std::size_t n = 0; n < exchanges; n++) {
            const floats a = v[network[n].low], b = v[network[n].high];
            v[network[n].low] = a < b ? a : b;
            v[network[n].high] = a < b ? b : a;
        }
        // A copy, lest the index keeps all of them in memory.
        floats sorted[length];
#pragma GCC unroll 32
        for (std::size_t k = 0; k < length; k++) {
            sorted[k] = v[k];
        }
        store((sorted[(filled - 1) / 2] + sorted[filled / 2]) * 0.5f, medians + at);
    }
}

running_median::running_median(std::size_t quantities)
    : d_quantities(quantities),
      d_stride((quantities + lanes - 1) / lanes * lanes),
      d_values(length * d_stride)
{
}

void running_median::push(const float* values)
{
    std::copy_n(values, d_quantities, d_values.begin() + d_next * d_stride);
    d_next = (d_next + 1) % length;
    d_filled = std::min(d_filled + 1, length);
}

void running_median::read(float* medians, std::size_t part, std::size_t parts) const
{
    const std::size_t vectors = d_stride / lanes;
    const std::size_t first = part * vectors / parts * lanes;
    const std::size_t end = (part + 1) * vectors / parts * lanes;
    aligned_vector<float> some(end - first);
    medians_of(d_values.data() + first, d_stride, end - first, d_filled, some.data());
    const std::size_t last = std::min(end, d_quantities);
    std::copy_n(some.begin(), last - std::min(first, last), medians + first);
}

void running_median::values_of(std::size_t quantity, float* out) const
{
    for (std::size_t k = 0; k < d_filled; k++) {
        out[k] = d_values[k * d_stride + quantity];
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
