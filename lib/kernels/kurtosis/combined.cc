/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/combined.h"
#include "kernels/base/worker_ranges.h"
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

constexpr double steps_to_the_octave = 16; // in which numbers of inputs have limits

// The standard deviation of the kurtosis of m spectra of noise.
double deviation(double m) { return 2 * m / std::sqrt((m - 1) * (m + 2) * (m + 3)); }

} // namespace

combined_kurtosis::combined_kurtosis(std::size_t inputs,
                                     std::size_t channels,
                                     double false_alarm,
                                     const std::vector<char>& bad_input)
    : d_inputs(inputs),
      d_false_alarm(false_alarm),
      d_normal(quantile(complement(boost::math::normal(), false_alarm / 2))),
      d_bad_input(bad_input),
      d_means(channels),
      d_deviations(channels),
      d_scatter(channels),
      d_found(channels)
{
}

void combined_kurtosis::add_up(std::size_t channel,
                               const std::vector<float>& kurtosis,
                               const std::vector<double>& inverse,
                               const std::vector<std::uint8_t>& left_out)
{
    double sum = 0, inverses = 0, n = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        const std::size_t k = channel * d_inputs + i;
        const bool bad = !d_bad_input.empty() && d_bad_input[i];
        if (!bad && !std::isnan(kurtosis[k]) && !left_out[k]) {
            sum += static_cast<double>(kurtosis[k]);
            inverses += inverse[i];
            ++n;
        }
    }
    if (n < 2) {
        d_means[channel] = {};
        d_deviations[channel] = std::numeric_limits<float>::quiet_NaN();
        return;
    }
    const auto m = static_cast<std::uint32_t>(std::lround(n / inverses));
    d_means[channel] = {sum / n, n, m};
    d_deviations[channel] =
        static_cast<float>((sum / n - 1) * std::sqrt(n) / deviation(m));
}

limits combined_kurtosis::limits_of(const mean& m, double factor)
{
    double n = m.inputs;
    if (factor > 1) { // the next lower step, as every number takes long to work out
        const double steps = steps_to_the_octave * std::log2(n / (factor * factor));
        n = std::exp2(std::max(std::floor(steps), 0.0) / steps_to_the_octave);
    }
    const auto found = d_limits.find({m.spectra, n});
    return found != d_limits.end()
               ? found->second
               : d_limits[{m.spectra, n}] = kurtosis_limits(m.spectra, n, d_false_alarm);
}

const std::vector<char>&
combined_kurtosis::find(const std::vector<float>& kurtosis,
                        const std::vector<std::uint32_t>& valid,
                        const std::vector<std::uint8_t>& left_out,
                        workers& threads)
{
    std::vector<double> inverse;
    for (const std::uint32_t v : valid) {
        inverse.push_back(1.0 / v);
    }
    constexpr std::size_t many_cells = 1 << 16;
    const std::size_t channels = d_means.size();
    const bool large = channels * d_inputs >= many_cells;
    run_ranges(threads, large, channels, 1, [&](std::size_t first, std::size_t count) {
        for (std::size_t c = first; c < first + count; ++c) {
            add_up(c, kurtosis, inverse, left_out);
        }
    });
    d_scatter.push(d_deviations);
    const mean* last = nullptr;
    double last_factor = 0;
    limits l{0, 0};
    for (std::size_t c = 0; c < d_means.size(); ++c) {
        const mean& m = d_means[c];
        d_found[c] = 0;
        if (m.inputs == 0) {
            continue;
        }
        const double factor = d_scatter.factor(c, d_normal);
        if (!last || m.inputs != last->inputs || m.spectra != last->spectra ||
            factor != last_factor) {
            l = limits_of(m, factor);
            last = &m;
            last_factor = factor;
        }
        d_found[c] = m.value < l.low || m.value > l.high;
    }
    return d_found;
}

} // namespace gr::fringe::kernels
