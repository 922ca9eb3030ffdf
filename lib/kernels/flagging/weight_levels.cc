/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/weight_levels.h"
#include "kernels/flagging/quantiles.h"
#include "kernels/flagging/rice.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t stretch = 64; // channels that share one source
constexpr int passes = 3;
constexpr std::size_t fewest = 8; // cells, of a class whose median is used
constexpr double mad_to_spread = 1.482602218505602;
constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
// What drifts and slopes of a band add to the scatter of a median and of a spread.
constexpr double unsteady_level = 0.05, unsteady_spread = 0.2;

// Classes of weight are half an octave wide, from 2^-16 to 2^8 of the usual one.
constexpr int lowest_class = -32, highest_class = 16;
std::size_t class_of(double weight)
{
    const int octave = static_cast<int>(std::floor(2 * std::log2(weight)));
    return static_cast<std::size_t>(std::clamp(octave, lowest_class, highest_class) -
                                    lowest_class);
}

double square(double x) { return x * x; }

// Of the k-th quantile of a table.
double z_of(std::size_t k) { return -4 + 0.25 * static_cast<double>(k); }

// Where a source lies in the table.
struct place {
    place(const std::vector<double>& sources, double source)
    {
        const auto above =
            std::upper_bound(sources.begin() + 1, sources.end() - 1, source);
        before = static_cast<std::size_t>(above - sources.begin()) - 1;
        part = (source - sources[before]) / (sources[before + 1] - sources[before]);
    }
    std::size_t before;
    double part;
};

// The value of one distribution that is as likely as x is in another; beyond the tables, their
// ends go on straight.
template <class Quantiles>
float as_likely(const Quantiles& from, const Quantiles& to, float x)
{
    const auto above = std::upper_bound(from.begin() + 1, from.end() - 1, x);
    const auto k = static_cast<std::size_t>(above - from.begin());
    const float part = (x - from[k - 1]) / (from[k] - from[k - 1]);
    return to[k - 1] + part * (to[k] - to[k - 1]);
}

} // namespace

weight_levels::weight_levels() : d_sources(rice_distribution::grid())
{
    for (const rice_distribution& r : rice_distribution::of_grid()) {
        d_levels.push_back({r.median(), r.spread()});
        quantiles q;
        for (std::size_t k = 0; k < q.size(); ++k) {
            q[k] = static_cast<float>(r.quantile(normal_tail(-z_of(k))));
        }
        d_quantiles.push_back(q);
    }
}

// In units of the sigma^(2/3) that noise has at the usual weight. Noise along a strong source
// is nearly normal.
weight_levels::level weight_levels::level_of(double source, double weight) const
{
    const double s = source * std::sqrt(weight), noise = 1 / std::cbrt(weight);
    if (s >= d_sources.back()) {
        return {noise * std::cbrt(square(s) + 1), noise * 2.0 / 3 / std::cbrt(s)};
    }
    const place at(d_sources, s);
    const level &a = d_levels[at.before], &b = d_levels[at.before + 1];
    return {noise * (a.median + at.part * (b.median - a.median)),
            noise * (a.spread + at.part * (b.spread - a.spread))};
}

weight_levels::quantiles weight_levels::quantiles_of(double source, double weight) const
{
    const double s = source * std::sqrt(weight), noise = 1 / std::cbrt(weight);
    quantiles q;
    if (s >= d_sources.back()) {
        for (std::size_t k = 0; k < q.size(); ++k) {
            q[k] = static_cast<float>(noise * std::cbrt(square(s + z_of(k)) + 1));
        }
        return q;
    }
    const place at(d_sources, s);
    const quantiles &a = d_quantiles[at.before], &b = d_quantiles[at.before + 1];
    for (std::size_t k = 0; k < q.size(); ++k) {
        q[k] = static_cast<float>(noise * (a[k] + at.part * (b[k] - a[k])));
    }
    return q;
}

// The noise's sigma^(2/3) in each channel, if that is the source. Neighboring channels mostly
// have the same weight.
void weight_levels::measure_band(const flag_plane& plane,
                                 const std::vector<float>& weight,
                                 std::size_t first,
                                 std::size_t end,
                                 double source)
{
    d_medians.resize(plane.dumps * (end - first));
    float last = -1;
    double median = 1;
    auto expected = d_medians.begin();
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t k = t * plane.channels + first; k < t * plane.channels + end;
             ++k) {
            if (plane.used[k] && weight[k] != last) {
                last = weight[k];
                median = level_of(source, last).median;
            }
            *expected++ = median;
        }
    }
    for (std::size_t c = first; c < end; ++c) {
        d_cells.clear();
        for (std::size_t t = 0; t < plane.dumps; ++t) {
            const std::size_t k = t * plane.channels + c;
            if (plane.used[k]) {
                d_cells.push_back(static_cast<float>(
                    plane.value[k] / d_medians[t * (end - first) + c - first]));
            }
        }
        d_band[c] = d_cells.empty() ? nothing : median_of(d_cells);
    }
}

// The square of the mean difference between the ratios of median and spread that the classes
// say and those that the source gives, and the sum of those of the medians.
double weight_levels::misfit(double source, bool by_medians) const
{
    double sum = 0, sum_weights = 0, sum_squares = 0, ratios = 0, cells = 0;
    for (const weight_class& c : d_classes) {
        const level l = level_of(source, c.weight);
        const double difference = std::log(c.median / l.median);
        const double w =
            1 / (square(1.25 * l.spread / l.median) / c.cells + square(unsteady_level));
        sum += w * difference;
        sum_weights += w;
        sum_squares += w * square(difference);
        ratios += c.cells * std::log(c.ratio * l.spread / l.median);
        cells += c.cells;
    }
    // One factor for all classes is the unit of the values.
    const double medians = by_medians ? sum_squares - square(sum) / sum_weights : 0;
    return medians + square(ratios / cells) / (1.36 / cells + square(unsteady_spread));
}

// Classes of cells by their weight.
void weight_levels::sort_cells(const flag_plane& plane,
                               const std::vector<float>& weight,
                               std::size_t first,
                               std::size_t end)
{
    const std::size_t classes = highest_class - lowest_class + 1;
    d_sorted.resize(classes);
    for (std::vector<float>& cells : d_sorted) {
        cells.clear();
    }
    d_logs.assign(classes, 0.0);
    float last = -1;
    std::size_t of = 0;
    double log = 0;
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t c = first; c < end; ++c) {
            const std::size_t k = t * plane.channels + c;
            if (!plane.used[k] || !(d_band[c] > 0)) {
                continue;
            }
            if (weight[k] != last) {
                last = weight[k];
                of = class_of(last);
                log = std::log(last);
            }
            d_sorted[of].push_back(plane.value[k] / d_band[c]);
            d_logs[of] += log;
        }
    }
    d_classes.clear();
    for (std::size_t k = 0; k < classes; ++k) {
        std::vector<float>& cells = d_sorted[k];
        const float median = median_of(cells);
        if (cells.size() < fewest || !(median > 0)) {
            continue;
        }
        const auto n = static_cast<double>(cells.size());
        for (float& x : cells) {
            x = std::abs(x - median);
        }
        const double spread = mad_to_spread * median_of(cells);
        d_classes.push_back({std::exp(d_logs[k] / n),
                             median,
                             median / std::max(spread, 1e-3 * median),
                             n});
    }
}

double weight_levels::find_source(bool by_medians)
{
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (double source = 0; source < 130; source += std::max(0.1, 0.03 * source)) {
        const double m = d_classes.empty() ? 0 : misfit(source, by_medians);
        if (m < least) {
            least = m;
            best = source;
        }
    }
    return best;
}

// Values become those of the usual weight.
void weight_levels::replace(flag_plane& plane,
                            const std::vector<float>& weight,
                            std::size_t first,
                            std::size_t end,
                            double source) const
{
    const quantiles usual = quantiles_of(source, 1);
    quantiles here = usual;
    float last = 1;
    for (std::size_t t = 0; t < plane.dumps; ++t) {
        for (std::size_t c = first; c < end; ++c) {
            const std::size_t k = t * plane.channels + c;
            if (!plane.used[k] || !(d_band[c] > 0)) {
                continue;
            }
            if (weight[k] != last) {
                last = weight[k];
                here = quantiles_of(source, last);
            }
            const float unit = d_band[c];
            plane.value[k] = unit * as_likely(here, usual, plane.value[k] / unit);
        }
    }
}

void weight_levels::equalize(flag_plane& plane, const std::vector<float>& weight)
{
    const std::size_t channels = plane.channels;
    const std::size_t parts = std::max<std::size_t>(1, channels / stretch);
    std::vector<double> sources(parts, 0.0);
    const auto each = [&](const auto& of_stretch) {
        for (std::size_t k = 0; k < parts; ++k) {
            of_stretch(k * channels / parts, (k + 1) * channels / parts, sources[k]);
        }
    };
    d_band.assign(channels, 1.0f);
    for (int pass = 0; pass <= passes; ++pass) { // band and source, each by the other
        each([&](std::size_t first, std::size_t end, double& source) {
            if (pass > 0) {
                sort_cells(plane, weight, first, end);
                // The first band was measured with a source that was guessed: its medians say
                // that guess again.
                source = find_source(pass > 1);
            }
            measure_band(plane, weight, first, end, source);
        });
        // A channel's own level scatters more than values of the usual weight do.
        d_follow.follow_band(d_band);
    }
    each([&](std::size_t first, std::size_t end, double source) {
        replace(plane, weight, first, end, source);
    });
}

} // namespace gr::fringe::kernels
