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

// Of cells of noise, relative to their median.
double variance(const cell_levels& l)
{
    const auto low = static_cast<double>(l.low), high = static_cast<double>(l.high);
    return square(quartiles_to_spread * (high - low) / static_cast<double>(l.median));
}

// The median of a gamma distribution with the shape k is k (1 - 1 / 9k)^3 of its scale.
double mean_to_median(const cell_levels& l)
{
    const double part = 1 - std::min(variance(l) / 9, 0.5);
    return 1 / (part * part * part);
}

bool known(const cell_levels& l) { return l.cells >= blanking::fewest && l.median > 0; }

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

// In units of the mean power of a sample.
double pulse_limits::own_limit(const cell_levels& l) const
{
    // The variance of a median of normal variables is pi / 2n times theirs.
    const double error = 1.5707963 * variance(l) / square(mean_to_median(l)) /
                         static_cast<double>(l.cells);
    const double slope = d_complex ? 1 : 0.5;
    return d_quantile * (1 + slope * d_quantile * error / 2);
}

blanking_limits pulse_limits::find(const window_levels& levels) const
{
    blanking_limits limits;
    double variances = 0;
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        const cell_levels& l = levels.inputs[i];
        if (!known(l)) {
            limits.power.push_back(never);
            limits.scale.push_back(0);
            continue;
        }
        const double sample = static_cast<double>(l.median) * mean_to_median(l) /
                              static_cast<double>(blanking::cell);
        limits.power.push_back(static_cast<float>(own_limit(l) * sample));
        const bool bad = !d_bad_input.empty() && d_bad_input[i];
        limits.scale.push_back(bad ? 0 : static_cast<float>(1 / sample));
        inputs += !bad;
        variances += bad ? 0 : variance(l);
    }
    limits.sum = never;
    if (inputs > 1 && known(levels.sum)) {
        const double median = static_cast<double>(levels.sum.median);
        const double excess =
            variances > 0 ? variance(levels.sum) * square(median) / variances : 1;
        limits.sum =
            static_cast<float>(power_sum_limit(inputs, d_complex, excess, d_rate));
    }
    return limits;
}

blanking_limits pulse_limits::middle(const blanking_limits& of, bool wanted) const
{
    blanking_limits limits = of;
    std::fill(limits.power.begin(), limits.power.end(), never);
    limits.sum = never;
    if (wanted) {
        const auto inputs = static_cast<double>(std::count_if(
            of.scale.begin(), of.scale.end(), [](float s) { return s > 0; }));
        const double part = 1 - 1 / (9 * (d_complex ? inputs : inputs / 2));
        limits.sum = static_cast<float>(inputs * part * part * part);
    }
    return limits;
}

} // namespace gr::fringe::kernels
