/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/running_median.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <array>
#include <limits>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t length = running_median::length;
constexpr std::size_t columns = 64; // that are sorted at once

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

//! a becomes the smaller values of the two, b the larger ones.
__attribute__((always_inline)) inline void exchange_columns(float* __restrict a,
                                                            float* __restrict b)
{
    for (std::size_t c = 0; c < columns; c++) {
        const float x = a[c], y = b[c];
        a[c] = x < y ? x : y;
        b[c] = x < y ? y : x;
    }
}

} // namespace

// Medians of the rows' columns: what is not there yet counts as infinite. Values stay in
// the first-level cache.
FRINGE_SIMD static void medians_of(const float* rows,
                                   std::size_t stride,
                                   std::size_t count,
                                   std::size_t filled,
                                   float* medians)
{
    static constexpr auto network = merge_exchange();
    alignas(64) float v[length][columns];
    for (std::size_t at = 0; at < count; at += columns) {
        const std::size_t many = std::min(columns, count - at);
        for (std::size_t k = 0; k < length; k++) {
            std::fill_n(v[k], columns, std::numeric_limits<float>::infinity());
            if (k < filled) {
                std::copy_n(rows + k * stride + at, many, v[k]);
            }
        }
        for (const exchange& e : network) {
            exchange_columns(v[e.low], v[e.high]);
        }
        const float* const low = v[(filled - 1) / 2];
        const float* const high = v[filled / 2];
        for (std::size_t c = 0; c < many; c++) {
            medians[at + c] = (low[c] + high[c]) * 0.5f;
        }
    }
}

running_median::running_median(std::size_t quantities)
    : d_quantities(quantities),
      d_stride((quantities + columns - 1) / columns * columns),
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
    const std::size_t strips = d_stride / columns;
    const std::size_t first = part * strips / parts * columns;
    const std::size_t end = (part + 1) * strips / parts * columns;
    if (first < end) {
        medians_of(d_values.data() + first,
                   d_stride,
                   std::min(end, d_quantities) - first,
                   d_filled,
                   medians + first);
    }
}

void running_median::values_of(std::size_t quantity, float* out) const
{
    for (std::size_t k = 0; k < d_filled; k++) {
        out[k] = d_values[k * d_stride + quantity];
    }
}

} // namespace gr::fringe::kernels
