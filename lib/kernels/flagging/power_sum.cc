/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/power_sum.h"
#include "kernels/base/simd.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr float far = 10;          // beyond it a deviation says nothing more
constexpr float unit = 1.0f / 256; // of the sums

// A skew variable of mean 0 and variance 1, as if it were of a gamma distribution.
float made_normal(float y, float skewness)
{
    if (skewness < 1e-3f) {
        return y;
    }
    const float cube = std::max(1 + 0.5f * skewness * y, 0.0f);
    return 6 / skewness * (std::cbrt(cube) - 1) + skewness / 6;
}

} // namespace

FRINGE_SIMD static void add_cells(const float* value,
                                  const std::uint8_t* used,
                                  std::size_t cells,
                                  const power_score& score,
                                  std::int32_t* sum,
                                  std::int32_t* count)
{
    for (std::size_t k = 0; k < cells; ++k) {
        const float z = std::min(std::max(value[k], -far), far);
        const float g = score.offset + z * (score.linear + score.square * z);
        const float v = std::min(std::max(g, -score.maximum), score.maximum) * (1 / unit);
        sum[k] += used[k] ? static_cast<std::int32_t>(v) : 0;
        count[k] += used[k];
    }
}

void power_sum::clear(std::size_t cells)
{
    d_sum.assign(cells, 0);
    d_count.assign(cells, 0);
    d_skewness = d_baselines = 0;
}

void power_sum::add(const flag_plane& baseline, const power_score& score)
{
    add_cells(baseline.value.data(),
              baseline.used.data(),
              baseline.cells(),
              score,
              d_sum.data(),
              d_count.data());
    d_skewness += std::lround(score.skewness / unit);
    ++d_baselines;
}

void power_sum::add(const power_sum& other)
{
    for (std::size_t k = 0; k < d_sum.size(); ++k) {
        d_sum[k] += other.d_sum[k];
        d_count[k] += other.d_count[k];
    }
    d_skewness += other.d_skewness;
    d_baselines += other.d_baselines;
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
    const float of_one = unit * static_cast<float>(d_skewness) /
                         static_cast<float>(std::max<std::int64_t>(d_baselines, 1));
    for (std::size_t k = 0; k < d_sum.size(); ++k) {
        plane.used[k] = d_count[k] > 0;
        plane.found[k] = 0;
        const float root = std::sqrt(static_cast<float>(std::max(d_count[k], 1)));
        plane.value[k] =
            made_normal(unit * static_cast<float>(d_sum[k]) / root, of_one / root);
    }
}

} // namespace gr::fringe::kernels
