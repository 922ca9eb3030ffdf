/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/detector.h"
#include "kernels/base/require.h"
#include "kernels/base/worker_ranges.h"
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

const std::string me = "kurtosis detector";
constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

} // namespace

detector::detector(const detector_params& p)
    : d_p(p),
      d_cells(p.channels * p.inputs),
      d_workers(workers::shared()),
      d_kurtosis(d_cells),
      d_power(d_cells),
      d_median(d_cells),
      d_band(p.inputs),
      d_cell_history(p.power ? d_cells : 0),
      d_bursts(p.inputs, p.false_alarm, p.bad_input),
      d_causes(d_cells)
{
    require(me, p.inputs >= 1, "inputs is 0; it must be at least 1");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    require(me,
            p.false_alarm >= 1e-6 && p.false_alarm <= 0.1,
            "false_alarm is " + std::to_string(p.false_alarm) +
                "; it must be 1e-6 to 0.1");
    require(me,
            p.mask.empty() || p.mask.size() == p.channels,
            "mask has not one value a channel");
    require(me,
            p.bad_input.empty() || p.bad_input.size() == p.inputs,
            "bad_input has not one value an input");
    if (p.clip) {
        d_quantized.emplace(p.clip);
    }
    if (p.combined) {
        d_combined.emplace(p.inputs, p.channels, p.false_alarm, p.bad_input);
    }
}

limits detector::limits_of(std::uint32_t m)
{
    const auto found = d_limits.find(m);
    return found != d_limits.end() ? found->second
                                   : d_limits[m] = kurtosis_limits(m, 1, d_p.false_alarm);
}

/*!
 * The limits of quantized noise by its power: between those of ideal noise and of the
 * normal distribution, as the skewness is, and as wide as its scatter.
 */
const detector::bins& detector::bins_of(std::uint32_t m)
{
    const auto found = d_bins.find(m);
    if (found != d_bins.end()) {
        return found->second;
    }
    bins& b = d_bins[m];
    const std::size_t size = d_quantized->bins();
    b.low.assign(size, -infinite);
    b.high.assign(size, infinite);
    b.shift.assign(size, none);
    b.scale.assign(size, 1);
    const limits ideal = limits_of(m);
    const double sigma = 2 / std::sqrt(static_cast<double>(m));
    const double normal =
        sigma * quantile(complement(boost::math::normal(), d_p.false_alarm / 2));
    for (std::size_t k = 0; k < size; ++k) {
        if (const auto* e = d_quantized->at(k)) {
            const double share = std::clamp(e->asymmetry, 0.0, 1.0);
            const double middle = e->kurtosis + e->bias / m;
            const auto width = [&](double limit, double sign) {
                return e->scatter * ((1 - share) * sign * normal + share * (limit - 1));
            };
            b.low[k] = static_cast<float>(middle + width(ideal.low, -1));
            b.high[k] = static_cast<float>(middle + width(ideal.high, 1));
            b.shift[k] = static_cast<float>(middle);
            b.scale[k] = static_cast<float>(1 / e->scatter);
        }
    }
    return b;
}

// Calls range(first, many) for pieces of `many` channels or inputs, on several threads
// where the cells of a window take one thread longer than the GPUs.
template <class Range>
void detector::share(std::size_t count, std::size_t unit, const Range& range)
{
    constexpr std::size_t many_cells = 1 << 16;
    run_ranges(*d_workers, d_cells >= many_cells, count, unit, range);
}

void detector::find_kurtosis(const float* s1, const float* s2)
{
    std::vector<float> m(d_p.inputs), factor(d_p.inputs, none), low(d_p.inputs),
        high(d_p.inputs);
    std::vector<const bins*> by_power(d_p.inputs, nullptr);
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        m[i] = static_cast<float>(d_valid[i]);
        if (d_valid[i] >= min_spectra) {
            factor[i] = (m[i] + 1) / (m[i] - 1); // else all is NaN, and no decision
            const limits l = limits_of(d_valid[i]);
            low[i] = static_cast<float>(l.low);
            high[i] = static_cast<float>(l.high);
            by_power[i] = d_quantized ? &bins_of(d_valid[i]) : nullptr;
        }
    }
    const auto find = [&](std::size_t c) {
        for (std::size_t i = 0, k = c * d_p.inputs; i < d_p.inputs; ++i, ++k) {
            float sk = factor[i] * (m[i] * (s2[k] / s1[k]) / s1[k] - 1);
            float least = low[i], maximum = high[i];
            if (by_power[i]) {
                const bins& b = *by_power[i];
                const auto at =
                    std::min(quantized_noise::bin(s1[k] / m[i]), b.low.size() - 1);
                least = b.low[at];
                maximum = b.high[at];
                d_kurtosis[k] = 1 + (sk - b.shift[at]) * b.scale[at];
            } else {
                d_kurtosis[k] = sk;
            }
            if (d_p.per_input) {
                d_causes[k] |=
                    static_cast<std::uint8_t>((sk < least) + 2 * (sk > maximum));
            }
        }
    };
    share(d_p.channels, 1, [&](std::size_t first, std::size_t count) {
        for (std::size_t c = first; c < first + count; ++c) {
            find(c);
        }
    });
}

void detector::find_combined()
{
    // One station's own interference must not cost the others theirs.
    const auto& found = d_combined->find(d_kurtosis, d_valid, d_causes, *d_workers);
    for (std::size_t c = 0; c < d_p.channels; ++c) {
        for (std::size_t i = 0; found[c] && i < d_p.inputs; ++i) {
            d_causes[c * d_p.inputs + i] |= bit(cause::combined);
        }
    }
}

// Of all cells; or where the history is full an eighth in each window, as they hardly
// change.
void detector::read_medians()
{
    const std::size_t n = d_cell_history.filled();
    if (n == 0) {
        return;
    }
    const std::size_t parts = n == running_median::length ? 8 : 1;
    const std::size_t part = parts > 1 ? d_windows++ % parts : 0;
    constexpr std::size_t pieces = 64;
    share(pieces, 1, [&](std::size_t first, std::size_t count) {
        for (std::size_t k = first; k < first + count; ++k) {
            d_cell_history.read(d_median.data(), part * pieces + k, parts * pieces);
        }
    });
}

void detector::find_power(const float* s1)
{
    const std::size_t n = d_cell_history.filled();
    read_medians();
    std::vector<float> each(d_p.inputs), limit(d_p.inputs, infinite);
    std::vector<char> lost(d_p.inputs);
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        lost[i] = 2 * d_valid[i] < d_max_valid || d_valid[i] == 0;
        each[i] = d_valid[i] ? 1 / static_cast<float>(d_valid[i]) : 0;
        if (n >= band_bursts::min_history && d_valid[i] >= min_spectra) {
            auto& known = d_power_limits[{d_valid[i], n}];
            known = known > 0 ? known : power_limit(d_valid[i], n, d_p.false_alarm);
            limit[i] = static_cast<float>(known);
        }
    }
    std::fill(d_band.begin(), d_band.end(), 0);
    // Some of the inputs each, so that every sum over the band is in the order of channels.
    const auto find = [&](std::size_t c, std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            const std::size_t k = c * d_p.inputs + i;
            const float power = s1[k] * each[i];
            const float maximum = d_median[k] > 0 ? d_median[k] * limit[i] : infinite;
            d_causes[k] |= power > maximum ? bit(cause::power) : 0;
            // One strong channel must not look like a burst of the whole band.
            d_band[i] += masked(c) ? 0 : static_cast<double>(std::min(power, maximum));
            d_power[k] = lost[i] && n ? d_median[k] : power;
        }
    };
    share(d_p.inputs, 32, [&](std::size_t first, std::size_t count) {
        for (std::size_t c = 0; c < d_p.channels; ++c) {
            find(c, first, count);
        }
    });
    d_cell_history.push(d_power.data());
}

void detector::find_bursts()
{
    std::vector<double> valid(d_p.inputs);
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        valid[i] = d_valid[i] / static_cast<double>(std::max(d_max_valid, 1u));
    }
    const auto& found = d_bursts.find(d_band, valid);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]) {
            flag_cells(i, cause::power);
        }
    }
}

// All channels of one input, or of all when it is the one behind the last.
void detector::flag_cells(std::size_t input, cause why)
{
    const std::size_t first = input < d_p.inputs ? input : 0;
    const std::size_t step = input < d_p.inputs ? d_p.inputs : 1;
    for (std::size_t k = first; k < d_cells; k += step) {
        d_causes[k] |= bit(why);
    }
}

const std::vector<std::uint8_t>& detector::detect(const float* s1,
                                                  const float* s2,
                                                  const std::vector<std::uint32_t>& valid)
{
    std::fill(d_causes.begin(), d_causes.end(), 0);
    d_valid = valid;
    d_max_valid = std::max(d_max_valid, *std::max_element(valid.begin(), valid.end()));
    if (d_p.per_input || d_p.combined) {
        find_kurtosis(s1, s2);
    }
    if (d_p.combined) {
        find_combined();
    }
    if (d_p.power) {
        find_power(s1);
        find_bursts();
    }
    for (std::size_t c = 0; c < d_p.channels; ++c) {
        if (masked(c)) { // what else is there does not matter
            std::fill_n(d_causes.begin() + static_cast<std::ptrdiff_t>(c * d_p.inputs),
                        d_p.inputs,
                        bit(cause::mask));
        }
    }
    return d_causes;
}

} // namespace gr::fringe::kernels
