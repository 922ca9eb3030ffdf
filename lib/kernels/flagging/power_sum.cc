/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/power_sum.h"
#include "kernels/simd.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr float most = 3;          // standard deviations of one baseline
constexpr float unit = 1.0f / 256; // of the sums

} // namespace

FRINGE_SIMD static void add_cells(const float* value,
                                  const std::uint8_t* used,
                                  std::size_t cells,
                                  std::int32_t* sum,
                                  std::int32_t* count)
{
    for (std::size_t k = 0; k < cells; ++k) {
        const float v = std::min(std::max(value[k], -most), most) * (1 / unit);
        sum[k] += used[k] ? static_cast<std::int32_t>(v) : 0;
        count[k] += used[k];
    }
}

void power_sum::clear(std::size_t cells)
{
    d_sum.assign(cells, 0);
    d_count.assign(cells, 0);
}

void power_sum::add(const flag_plane& baseline)
{
    add_cells(baseline.value.data(),
              baseline.used.data(),
              baseline.cells(),
              d_sum.data(),
              d_count.data());
}

void power_sum::add(const power_sum& other)
{
    for (std::size_t k = 0; k < d_sum.size(); ++k) {
        d_sum[k] += other.d_sum[k];
        d_count[k] += other.d_count[k];
    }
}

void power_sum::remove(const power_sum& station, const flag_plane& found_in)
{
    for (std::size_t k = 0; k < d_sum.size(); ++k) {
        if (found_in.found[k]) {
            d_sum[k] -= station.d_sum[k];
            d_count[k] -= station.d_count[k];
        }
    }
}

void power_sum::to_plane(flag_plane& plane) const
{
    for (std::size_t k = 0; k < d_sum.size(); ++k) {
        plane.used[k] = d_count[k] > 0;
        plane.found[k] = 0;
        plane.value[k] = d_count[k] > 0 ? unit * static_cast<float>(d_sum[k]) /
                                              std::sqrt(static_cast<float>(d_count[k]))
                                        : 0.0f;
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
