/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/spectra_mask.h"
#include "kernels/types.h"
#include <algorithm>

namespace gr {
namespace fringe {

spectra_mask::spectra_mask(std::size_t inputs, std::size_t points, unsigned taps)
    : d_inputs(inputs), d_points(points), d_taps(taps)
{
}

void spectra_mask::reset(std::uint64_t n)
{
    d_next = n;
    d_runs.clear();
}

void spectra_mask::add(const std::vector<invalid_run>& runs, std::uint64_t n)
{
    for (const invalid_run& r : runs) {
        if (r.input < d_inputs && r.count > 0) {
            d_runs.push_back({r.input, n + r.first, r.count});
        }
    }
}

std::vector<invalid_run> spectra_mask::take(std::size_t spectra)
{
    std::vector<invalid_run> out;
    const std::uint64_t end = d_next + spectra * d_points;
    for (const invalid_run& r : d_runs) {
        // Spectrum s is hit when s N < last + 1 and s N + taps N > first.
        const std::uint64_t run_end = r.first + r.count;
        const std::uint64_t reach = d_taps * d_points;
        std::uint64_t first = 0;
        if (r.first >= d_next + reach) {
            first = (r.first - d_next - reach) / d_points + 1;
        }
        std::uint64_t last =
            run_end > d_next ? (run_end - d_next + d_points - 1) / d_points : 0;
        last = std::min<std::uint64_t>(last, spectra);
        if (first < last) {
            out.push_back({r.input, first, last - first});
        }
    }
    d_runs.erase(
        std::remove_if(d_runs.begin(),
                       d_runs.end(),
                       [&](const invalid_run& r) { return r.first + r.count <= end; }),
        d_runs.end());
    d_next = end;
    return out;
}

valid_counts::valid_counts(std::size_t inputs) : d_inputs(inputs) {}

void valid_counts::clear()
{
    d_spectra = 0;
    d_some_invalid = false;
    d_invalid.clear();
}

void valid_counts::add(const std::vector<invalid_run>& runs,
                       std::uint64_t first,
                       std::uint64_t count)
{
    d_spectra += count;
    d_last.clear();
    if (runs.empty()) {
        return;
    }
    std::vector<std::vector<char>> bad(d_inputs); // [input][spectrum], empty = all good
    bool some = false;
    for (const invalid_run& r : runs) {
        const std::uint64_t a = std::max(r.first, first);
        const std::uint64_t b = std::min(r.first + r.count, first + count);
        if (a < b && r.input < d_inputs) {
            bad[r.input].resize(count, 0);
            std::fill(bad[r.input].begin() + (a - first),
                      bad[r.input].begin() + (b - first),
                      1);
            some = true;
        }
    }
    if (!some) {
        return;
    }
    d_some_invalid = true;
    d_invalid.resize(kernels::baselines(d_inputs), 0);
    d_last.resize(d_invalid.size(), 0);
    std::size_t k = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        for (std::size_t j = i; j < d_inputs; ++j, ++k) {
            const auto &a = bad[i], &b = bad[j];
            if (a.empty() && b.empty()) {
                continue;
            }
            for (std::size_t t = 0; t < count; ++t) {
                d_last[k] += (!a.empty() && a[t]) || (!b.empty() && b[t]);
            }
            d_invalid[k] += d_last[k];
        }
    }
}

std::vector<std::uint64_t> valid_counts::valid() const
{
    std::vector<std::uint64_t> v(kernels::baselines(d_inputs), d_spectra);
    for (std::size_t k = 0; k < d_invalid.size(); ++k) {
        v[k] -= d_invalid[k];
    }
    return v;
}

} // namespace fringe
} // namespace gr
