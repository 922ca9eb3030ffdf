/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/band_bursts.h"
#include "kernels/kurtosis/limits.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr double surer = 0.1; // of the rate asked for
constexpr double max_lost = 0.5;

float median_of(std::vector<float>& v)
{
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::nth_element(v.begin(), middle, v.end());
    return v.size() % 2 ? *middle : (*middle + *std::max_element(v.begin(), middle)) / 2;
}

} // namespace

band_bursts::band_bursts(std::size_t inputs,
                         double false_alarm,
                         const std::vector<char>& bad_input)
    : d_inputs(inputs),
      d_false_alarm(surer * false_alarm),
      d_bad_input(bad_input),
      d_history(inputs + 1),
      d_now(inputs + 1),
      d_medians(inputs + 1),
      d_found(inputs + 1)
{
}

double band_bursts::spread_of(std::size_t input)
{
    d_values.resize(d_history.filled());
    d_history.values_of(input, d_values.data());
    for (float& v : d_values) {
        v = std::abs(v - d_medians[input]);
    }
    return 1.4826 * static_cast<double>(median_of(d_values));
}

const std::vector<char>& band_bursts::find(const std::vector<double>& power,
                                           const std::vector<double>& valid)
{
    const std::size_t n = d_history.filled();
    if (n > 0) {
        d_history.read(d_medians.data());
    }
    double all = 0, inverse = 0, good = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        const bool bad = !d_bad_input.empty() && d_bad_input[i];
        const bool lost = valid[i] < max_lost;
        d_now[i] = lost && n > 0 ? d_medians[i] : static_cast<float>(power[i]);
        if (!bad && !lost && d_medians[i] > 0) {
            all += static_cast<double>(d_now[i] / d_medians[i]);
            inverse += 1 / valid[i];
            ++good;
        }
    }
    d_now[d_inputs] = good > 0 ? static_cast<float>(all / good) : 1.0f;
    const double limit = n >= min_history ? deviation_limit(n, d_false_alarm) : 0;
    for (std::size_t i = 0; i <= d_inputs; ++i) {
        d_found[i] = 0;
        const bool decided = i < d_inputs ? valid[i] >= max_lost : good > 0;
        if (n >= min_history && decided) {
            // Fewer spectra scatter more.
            const double few = std::sqrt(i < d_inputs ? 1 / valid[i] : inverse / good);
            const double spread = spread_of(i) * few;
            const auto above = static_cast<double>(d_now[i] - d_medians[i]);
            d_found[i] = spread > 0 && above > limit * spread;
        }
    }
    d_history.push(d_now.data());
    return d_found;
}

} // namespace gr::fringe::kernels
