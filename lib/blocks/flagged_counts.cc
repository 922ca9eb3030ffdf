/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/flagged_counts.h"
#include "kernels/types.h"
#include <algorithm>

namespace gr {
namespace fringe {

flagged_counts::flagged_counts(std::size_t inputs, std::size_t channels)
    : d_inputs(inputs),
      d_baselines(kernels::baselines(inputs)),
      d_bad(inputs, 0),
      d_counts(channels)
{
}

void flagged_counts::add(const std::vector<cell_run>& cells,
                         std::uint64_t spectra,
                         const std::vector<std::uint64_t>& invalid)
{
    if (!invalid.empty() || !(cells == d_cells)) {
        settle();
        d_cells = cells;
    }
    if (!cells.empty()) {
        d_spectra += spectra;
        d_invalid = invalid;
    }
    if (!invalid.empty()) {
        settle();
    }
}

// Counts what has been put off.
void flagged_counts::settle()
{
    for (std::size_t r = 0; d_spectra > 0 && r < d_cells.size();) {
        // All runs of one channel, or the first of a run's channels.
        const std::size_t channel = d_cells[r].first / d_inputs;
        const std::size_t begin = channel * d_inputs, end = begin + d_inputs;
        std::fill(d_bad.begin(), d_bad.end(), 0);
        bool beyond = false;
        for (; r < d_cells.size() && d_cells[r].first < end && !beyond; ++r) {
            const std::size_t last = d_cells[r].first + d_cells[r].count;
            beyond = last > end;
            std::fill(
                d_bad.begin() + static_cast<std::ptrdiff_t>(d_cells[r].first - begin),
                d_bad.begin() + static_cast<std::ptrdiff_t>(std::min(last, end) - begin),
                1);
        }
        add_channel(channel, d_spectra);
        if (beyond) { // the rest of the run is in the next channels
            cell_run& rest = d_cells[--r];
            rest.count -= static_cast<std::uint32_t>(end - rest.first);
            rest.first = static_cast<std::uint32_t>(end);
        }
    }
    d_cells.clear();
    d_spectra = 0;
    d_invalid.clear();
}

// Baselines of the bad inputs of a channel have lost what was still valid there.
void flagged_counts::add_channel(std::size_t channel, std::uint64_t spectra)
{
    if (channel >= d_counts.size()) {
        return;
    }
    auto& counts = d_counts[channel];
    counts.resize(d_baselines, 0);
    const auto add_one = [&](std::size_t b) {
        counts[b] +=
            static_cast<std::uint32_t>(spectra - (d_invalid.empty() ? 0 : d_invalid[b]));
    };
    // Few inputs are bad, as a rule: their baselines, each once.
    for (std::size_t i = 0; i < d_inputs; ++i) {
        if (!d_bad[i]) {
            continue;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (!d_bad[j]) {
                add_one(kernels::baseline_index(j, i, d_inputs));
            }
        }
        for (std::size_t j = i; j < d_inputs; ++j) {
            add_one(kernels::baseline_index(i, j, d_inputs));
        }
    }
}

void flagged_counts::add(const std::vector<std::uint32_t>& records)
{
    const std::size_t size = 1 + d_baselines;
    for (std::size_t k = 0; k + size <= records.size(); k += size) {
        if (records[k] >= d_counts.size()) {
            continue;
        }
        auto& counts = d_counts[records[k]];
        counts.resize(d_baselines, 0);
        for (std::size_t b = 0; b < d_baselines; ++b) {
            counts[b] += records[k + 1 + b];
        }
    }
}

std::vector<std::uint32_t> flagged_counts::records(std::size_t first, std::size_t count)
{
    settle();
    std::vector<std::uint32_t> out;
    for (std::size_t c = first; c < first + count; ++c) {
        if (const auto* counts = of(c)) {
            out.push_back(static_cast<std::uint32_t>(c));
            out.insert(out.end(), counts->begin(), counts->end());
        }
    }
    return out;
}

void flagged_counts::clear()
{
    d_cells.clear();
    d_spectra = 0;
    d_invalid.clear();
    for (auto& counts : d_counts) {
        counts.clear();
    }
}

} // namespace fringe
} // namespace gr
