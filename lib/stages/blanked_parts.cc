/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/blanked_parts.h"
#include "kernels/channelizer/prototype.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe {

namespace {

using runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

runs together(const runs& a, const runs& b)
{
    runs both;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    std::size_t last = 0;
    for (std::size_t k = 1; k < both.size(); ++k) {
        if (both[k].first <= both[last].second) {
            both[last].second = std::max(both[last].second, both[k].second);
        } else {
            both[++last] = both[k];
        }
    }
    both.resize(both.empty() ? 0 : last + 1);
    return both;
}

} // namespace

blanked_parts::blanked_parts(std::size_t points, unsigned taps, const std::string& window)
    : d_points(points)
{
    const std::vector<double> h = kernels::prototype(points, taps, window);
    double all = 0;
    for (const double x : h) {
        all += x * x;
    }
    double sum = 0;
    d_before.reserve(h.size() + 1);
    d_before.push_back(0);
    for (const double x : h) {
        sum += x * x;
        const double part =
            std::min(sum / all, 1.0) * static_cast<double>(spectrum_parts);
        d_before.push_back(static_cast<std::uint64_t>(std::llround(part)));
    }
    d_before.back() = spectrum_parts;
}

blanked_spectra::blanked_spectra(const blanked_parts& parts,
                                 std::size_t inputs,
                                 const std::vector<invalid_run>& blanked,
                                 std::uint64_t first,
                                 std::uint64_t count)
    : d_parts(parts), d_first(first), d_count(count), d_lists(1), d_lists_of(inputs)
{
    const std::uint64_t begin = first * parts.points();
    const std::uint64_t end = begin + (count > 0 ? count - 1 : 0) * parts.points() +
                              (count > 0 ? parts.window() : 0);
    std::vector<runs> of_input(inputs);
    for (const invalid_run& r : blanked) {
        if (r.input < inputs && r.first < end && r.first + r.count > begin) {
            of_input[r.input].emplace_back(r.first, r.first + r.count);
        }
    }
    // Pulses are blanked in all inputs as a rule, so few lists are different.
    for (std::size_t i = 0; i < inputs; ++i) {
        const auto same = std::find(d_lists.begin(), d_lists.end(), of_input[i]);
        d_lists_of[i] = static_cast<std::size_t>(same - d_lists.begin());
        if (same == d_lists.end()) {
            d_lists.push_back(of_input[i]);
        }
    }
}

const blanked_spectra::loss& blanked_spectra::loss_of(std::size_t a, std::size_t b)
{
    loss& l = d_losses[{std::min(a, b), std::max(a, b)}];
    if (!l.of.empty() || d_count == 0) {
        return l;
    }
    l.of.assign(d_count, 0);
    const std::uint64_t n = d_parts.points(), window = d_parts.window();
    for (const auto& [first, end] : together(d_lists[a], d_lists[b])) {
        std::uint64_t s = first >= window ? (first - window) / n + 1 : 0;
        s = std::max(s, d_first);
        for (; s < d_first + d_count && s * n < end; ++s) {
            const auto at = static_cast<std::int64_t>(s * n);
            l.of[s - d_first] += d_parts.of_window(static_cast<std::int64_t>(first) - at,
                                                   static_cast<std::int64_t>(end) - at);
        }
    }
    for (const std::uint64_t part : l.of) {
        l.sum += part;
    }
    return l;
}

std::uint64_t blanked_spectra::lost(std::size_t i,
                                    std::size_t j,
                                    const std::vector<char>& bad_i,
                                    const std::vector<char>& bad_j)
{
    const std::size_t a = d_lists_of[i], b = d_lists_of[j];
    if (a == 0 && b == 0) {
        return 0;
    }
    const loss& l = loss_of(a, b);
    if (bad_i.empty() && bad_j.empty()) {
        return l.sum;
    }
    std::uint64_t sum = 0;
    for (std::size_t s = 0; s < l.of.size(); ++s) {
        const bool bad = (!bad_i.empty() && bad_i[s]) || (!bad_j.empty() && bad_j[s]);
        sum += bad ? 0 : l.of[s];
    }
    return sum;
}

} // namespace gr::fringe
