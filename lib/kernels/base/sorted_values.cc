/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/sorted_values.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

constexpr int lower_bits = 16;
constexpr int bins = 1024; // eight octaves

int high_bits(float x)
{
    std::int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits >> lower_bits;
}

// Values that are much larger or smaller than the others share the bins at the ends.
int bin_of(float x, int first) { return std::clamp(high_bits(x) - first, 0, bins - 1); }

} // namespace

sorted_values::sorted_values() : d_counts(2 * bins) {}

void sorted_values::find(const float* values,
                         std::size_t count,
                         const std::vector<std::size_t>& places,
                         float* found)
{
    std::fill(d_counts.begin(), d_counts.end(), 0);
    const int first = high_bits(values[0]) - bins / 2;
    for (std::size_t n = 0; n + 1 < count; n += 2) {
        ++d_counts[bin_of(values[n], first)];
        ++d_counts[bins + bin_of(values[n + 1], first)];
    }
    if (count % 2) {
        ++d_counts[bin_of(values[count - 1], first)];
    }
    int bin[4] = {-1, -1, -1, -1};
    std::size_t in_bin[4]; // places in their bins
    for (std::size_t q = 0; q < places.size(); ++q) {
        int b = 0;
        std::size_t place = places[q], here;
        for (; place >= (here = d_counts[b] + d_counts[bins + b]); ++b) {
            place -= here;
        }
        bin[q] = b;
        in_bin[q] = place;
        d_near[q].clear();
    }
    for (std::size_t k = 0; k < count; ++k) {
        const int b = bin_of(values[k], first);
        if (b == bin[0] || b == bin[1] || b == bin[2] || b == bin[3]) { // few are
            for (std::size_t q = 0; q < places.size(); ++q) {
                if (b == bin[q]) {
                    d_near[q].push_back(values[k]);
                }
            }
        }
    }
    for (std::size_t q = 0; q < places.size(); ++q) {
        const auto at = d_near[q].begin() + static_cast<std::ptrdiff_t>(in_bin[q]);
        std::nth_element(d_near[q].begin(), at, d_near[q].end());
        found[q] = *at;
    }
}

} // namespace gr::fringe::kernels
