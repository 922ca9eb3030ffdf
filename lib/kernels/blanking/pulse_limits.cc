/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/pulse_limits.h"
#include "kernels/blanking/power_sum_tail.h"
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

constexpr double quartiles_to_spread = 0.7413011092528009; // of a normal distribution
constexpr float never = std::numeric_limits<float>::infinity();

double square(double x) { return x * x; }

double quantile_of(bool complex_samples, double rate)
{
    return complex_samples ? -std::log(rate)
                           : quantile(complement(boost::math::chi_squared(1), rate));
}

struct quartiles {
    double low, median, high;
};

quartiles quartiles_of(std::vector<float>& values)
{
    const auto place = [&](std::size_t n) {
        return values.begin() + static_cast<std::ptrdiff_t>(n);
    };
    const std::size_t last = values.size() - 1;
    const auto low = place(last / 4), middle = place(last / 2),
               high = place(3 * last / 4);
    std::nth_element(values.begin(), middle, values.end());
    const float median = *middle; // the next ones move it
    std::nth_element(values.begin(), low, middle);
    std::nth_element(middle, high, values.end());
    return {*low, median, *high};
}

} // namespace

pulse_limits::pulse_limits(std::size_t inputs,
                           bool complex_samples,
                           double false_alarm,
                           std::vector<char> bad_input)
    : d_inputs(inputs),
      d_complex(complex_samples),
      d_bad_input(std::move(bad_input)),
      d_rate(inputs > 1 ? false_alarm / 2 : false_alarm),
      d_quantile(quantile_of(complex_samples, d_rate))
{
}

// Of cells that are not negative.
pulse_limits::level pulse_limits::level_of(const double* powers, std::size_t cells)
{
    d_sorted.clear();
    for (std::size_t k = 0; k < cells; ++k) {
        if (powers[k] >= 0) {
            d_sorted.push_back(static_cast<float>(powers[k]));
        }
    }
    level l;
    l.cells = d_sorted.size();
    if (l.cells < fewest) {
        return l;
    }
    const quartiles q = quartiles_of(d_sorted);
    const double spread = quartiles_to_spread * (q.high - q.low);
    // The median of a gamma distribution with the shape k is k (1 - 1 / 9k)^3 of its scale.
    const double ninth = spread > 0 ? square(spread / q.median) / 9 : 0;
    l.mean = q.median / std::pow(1 - std::min(ninth, 0.5), 3);
    l.variance = square(spread);
    return l;
}

// In units of the mean power of a sample.
double pulse_limits::own_limit(const level& l) const
{
    // The variance of a median of normal variables is pi / 2n times theirs.
    const double error =
        1.5707963 * l.variance / square(l.mean) / static_cast<double>(l.cells);
    const double slope = d_complex ? 1 : 0.5;
    return d_quantile * (1 + slope * d_quantile * error / 2);
}

double pulse_limits::sum_limit(const double* powers,
                               std::size_t cells,
                               const std::vector<level>& levels,
                               const std::vector<float>& scales)
{
    d_cells.assign(cells, 0.0);
    double variances = 0;
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        if (!(scales[i] > 0)) {
            continue;
        }
        ++inputs;
        variances += levels[i].variance / square(levels[i].mean);
        for (std::size_t k = 0; k < cells; ++k) {
            const double power = powers[i * cells + k];
            // A cell that one input has lost is not comparable.
            d_cells[k] =
                power < 0 || d_cells[k] < 0 ? -1 : d_cells[k] + power / levels[i].mean;
        }
    }
    const level sum = inputs > 1 ? level_of(d_cells.data(), cells) : level();
    if (sum.cells < fewest) {
        return static_cast<double>(never);
    }
    return power_sum_limit(
        inputs, d_complex, variances > 0 ? sum.variance / variances : 1, d_rate);
}

blanking_limits pulse_limits::find(const double* powers, std::size_t cells)
{
    blanking_limits limits;
    std::vector<level> levels;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        levels.push_back(level_of(powers + i * cells, cells));
        const level& l = levels.back();
        const bool known = l.cells >= fewest && l.mean > 0;
        const bool bad = !d_bad_input.empty() && d_bad_input[i];
        const double sample = l.mean / static_cast<double>(blanking::cell);
        limits.power.push_back(known ? static_cast<float>(own_limit(l) * sample) : never);
        limits.scale.push_back(known && !bad ? static_cast<float>(1 / sample) : 0.0f);
    }
    limits.sum = static_cast<float>(sum_limit(powers, cells, levels, limits.scale));
    return limits;
}

} // namespace gr::fringe::kernels
