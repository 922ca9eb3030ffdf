/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/valid_counts.h"
#include "kernels/base/types.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <optional>

namespace gr::fringe {

valid_counts::valid_counts(std::size_t inputs) : d_inputs(inputs) {}

void valid_counts::clear()
{
    d_spectra = 0;
    d_lost.clear();
}

void valid_counts::add(const std::vector<invalid_run>& runs,
                       std::uint64_t first,
                       std::uint64_t count,
                       const std::vector<invalid_run>& blanked,
                       const blanked_parts* parts)
{
    d_spectra += count;
    d_last.clear();
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
    std::optional<blanked_spectra> zeros;
    if (parts && !blanked.empty()) {
        zeros.emplace(*parts, d_inputs, blanked, first, count);
        some = some || !zeros->none();
    }
    if (!some) {
        return;
    }
    d_lost.resize(kernels::baselines(d_inputs), 0);
    d_last.resize(d_lost.size(), 0);
    std::size_t k = 0;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        for (std::size_t j = i; j < d_inputs; ++j, ++k) {
            const auto &a = bad[i], &b = bad[j];
            for (std::size_t t = 0; t < count && !(a.empty() && b.empty()); ++t) {
                d_last[k] += (!a.empty() && a[t]) || (!b.empty() && b[t]);
            }
            d_last[k] *= spectrum_parts;
            d_last[k] += zeros ? zeros->lost(i, j, a, b) : 0;
            d_lost[k] += d_last[k];
        }
    }
}

std::vector<std::uint64_t> valid_counts::valid() const
{
    std::vector<std::uint64_t> v(kernels::baselines(d_inputs),
                                 d_spectra * spectrum_parts);
    for (std::size_t k = 0; k < d_lost.size(); ++k) {
        v[k] -= d_lost[k];
    }
    return v;
}

} // namespace gr::fringe
