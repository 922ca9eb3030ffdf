/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/burst_search.h"
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t lengths[] = {1, 4, 16, 64}; // runs
constexpr std::size_t fewest_means = 16;          // that make a level
// Each length has its means, half of which overlap, and a burst is longer than its mean.
constexpr double found_by_chance = 12;

} // namespace

burst_search::burst_search(double false_alarm)
    : d_limit(quantile(complement(boost::math::normal(), false_alarm / found_by_chance)))
{
}

// Of the means over so many runs, none of which is lost.
burst_search::level burst_search::level_of(std::size_t length)
{
    d_means.clear();
    const std::size_t step = std::max<std::size_t>(length / 2, 1);
    for (std::size_t j = 0; j + length < d_before.size(); j += step) {
        if (d_lost[j + length] == d_lost[j]) {
            const double sum = d_before[j + length] - d_before[j];
            d_means.push_back(static_cast<float>(sum / static_cast<double>(length)));
        }
    }
    if (d_means.size() < fewest_means) {
        return {0, 0, 0};
    }
    const auto place = [&](std::size_t quarters) {
        const auto at = d_means.begin() +
                        static_cast<std::ptrdiff_t>(quarters * (d_means.size() - 1) / 4);
        std::nth_element(d_means.begin(), at, d_means.end());
        return static_cast<double>(*at);
    };
    const double low = place(1), median = place(2), high = place(3);
    return {median, 0.7413011092528009 * (high - low), d_means.size()};
}

void burst_search::find_means(std::size_t length, const level& l)
{
    // The limit of a gamma variable with this median and spread; the median has an error.
    const double error = 1 + 1.5707963 / static_cast<double>(l.count) / 2;
    const double root = l.spread / l.median / 3, middle = 1 - root * root;
    const double ratio = (middle + error * d_limit * root) / middle;
    const double limit = l.median * ratio * ratio * ratio;
    const std::size_t step = std::max<std::size_t>(length / 2, 1);
    for (std::size_t j = 0; j + length < d_before.size(); j += step) {
        const double mean =
            (d_before[j + length] - d_before[j]) / static_cast<double>(length);
        if (mean > limit && d_lost[j + length] == d_lost[j] &&
            !std::all_of(d_in_burst.begin() + static_cast<std::ptrdiff_t>(j),
                         d_in_burst.begin() + static_cast<std::ptrdiff_t>(j + length),
                         [](char in) { return in != 0; })) {
            add_burst(j, length, l.median, mean);
        }
    }
}

// As far as the sum of what is more than half of the step is largest.
void burst_search::add_burst(std::size_t first,
                             std::size_t length,
                             double median,
                             double mean)
{
    const std::size_t runs = d_in_burst.size();
    const std::size_t from = first - std::min(first, length);
    const std::size_t end = std::min(first + 2 * length, runs);
    const double half = (median + mean) / 2;
    double sum = 0, maximum = 0;
    std::size_t begin = from, best_begin = first, best_end = first;
    for (std::size_t j = from; j < end; ++j) {
        if (sum <= 0) {
            sum = 0;
            begin = j;
        }
        sum += d_lost[j + 1] == d_lost[j] ? d_before[j + 1] - d_before[j] - half : 0;
        if (sum > maximum) {
            maximum = sum;
            best_begin = begin;
            best_end = j + 1;
        }
    }
    best_begin -= std::min<std::size_t>(best_begin, 1);
    best_end = std::min(best_end + 1, runs);
    std::fill(d_in_burst.begin() + static_cast<std::ptrdiff_t>(best_begin),
              d_in_burst.begin() + static_cast<std::ptrdiff_t>(best_end),
              1);
}

const std::vector<burst_search::stretch>&
burst_search::find(const std::vector<float>& runs)
{
    d_found.clear();
    d_in_burst.assign(runs.size(), 0);
    d_before.assign(1, 0.0);
    d_lost.assign(1, 0);
    for (const float r : runs) {
        d_before.push_back(d_before.back() + (r < 0 ? 0 : static_cast<double>(r)));
        d_lost.push_back(d_lost.back() + (r < 0));
    }
    double single = 0;
    for (const std::size_t length : lengths) {
        level l = level_of(length);
        single = length == 1 ? l.spread : single;
        l.spread = std::max(l.spread, single / std::sqrt(static_cast<double>(length)));
        if (l.count > 0 && l.median > 0 && l.spread < l.median) {
            find_means(length, l);
        }
    }
    for (std::size_t j = 0; j < runs.size(); ++j) {
        if (d_in_burst[j] && (j == 0 || !d_in_burst[j - 1])) {
            d_found.emplace_back(j, j);
        }
        if (d_in_burst[j]) {
            d_found.back().second = j + 1;
        }
    }
    return d_found;
}

} // namespace gr::fringe::kernels
