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

constexpr int lower_bits = 20;
constexpr std::size_t bins = 1 << (31 - lower_bits);

std::size_t bin_of(float x)
{
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits >> lower_bits;
}

} // namespace

sorted_values::sorted_values() : d_counts(2 * bins) {}

void sorted_values::count(const float* values, std::size_t count)
{
    d_values = values;
    d_count = count;
    std::fill(d_counts.begin(), d_counts.end(), 0);
    for (std::size_t n = 0; n + 1 < count; n += 2) {
        ++d_counts[bin_of(values[n])];
        ++d_counts[bins + bin_of(values[n + 1])];
    }
    if (count % 2) {
        ++d_counts[bin_of(values[count - 1])];
    }
}

float sorted_values::at(std::size_t place)
{
    std::size_t b = 0, in_bin;
    for (; place >= (in_bin = d_counts[b] + d_counts[bins + b]); ++b) {
        place -= in_bin;
    }
    d_near.resize(in_bin + 1); // a place for those that are not near
    std::size_t n = 0;
    for (std::size_t k = 0; k < d_count; ++k) {
        d_near[n] = d_values[k];
        n += bin_of(d_values[k]) == b;
    }
    const auto found = d_near.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(d_near.begin(), found, d_near.end() - 1);
    return *found;
}

} // namespace gr::fringe::kernels
