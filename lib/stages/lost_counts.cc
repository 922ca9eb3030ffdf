/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/lost_counts.h"
#include "stages/bad_spectra.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <bitset>

namespace gr::fringe {

namespace {

// Where channels begin that have lost other spectra than the one before.
std::vector<std::size_t> cuts_of(const std::vector<lost_spectra>& lost)
{
    std::vector<std::size_t> cuts;
    for (const lost_spectra& l : lost) {
        cuts.push_back(l.channel);
        cuts.push_back(l.channel + l.channels);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

} // namespace

// The counts of some channels, which are those of an earlier item as a rule.
std::vector<std::uint64_t>& lost_counts::counts_of(std::size_t channel,
                                                   std::size_t channels)
{
    const std::vector<kernels::cell_run> cells{
        {static_cast<std::uint32_t>(channel * d_inputs),
         static_cast<std::uint32_t>(channels * d_inputs)}};
    for (kernels::flagged_spectra& window : d_windows) {
        if (window.cells == cells) {
            return window.valid;
        }
    }
    d_windows.push_back(
        {cells, 0, std::vector<std::uint64_t>(kernels::baselines(d_inputs))});
    return d_windows.back().valid;
}

void lost_counts::add(const std::vector<lost_spectra>& lost,
                      const std::vector<invalid_run>& invalid,
                      std::uint64_t first,
                      std::uint64_t count)
{
    if (lost.empty()) {
        return;
    }
    const bad_spectra everywhere(d_inputs, first, count, invalid);
    const std::vector<std::size_t> cuts = cuts_of(lost);
    for (std::size_t n = 0; n + 1 < cuts.size(); ++n) {
        bad_spectra here(d_inputs, first, count);
        for (const lost_spectra& l : lost) {
            if (l.channel >= cuts[n + 1] || l.channel + l.channels <= cuts[n]) {
                continue;
            }
            here.set(l);
        }
        if (here.none()) {
            continue;
        }
        auto& counts = counts_of(cuts[n], cuts[n + 1] - cuts[n]);
        std::size_t baseline = 0;
        for (std::size_t i = 0; i < d_inputs; ++i) {
            for (std::size_t j = i; j < d_inputs; ++j, ++baseline) {
                for (std::size_t w = 0; (here.any(i) || here.any(j)) && w < here.words();
                     ++w) {
                    const std::uint64_t bits =
                        (here.word(i, w) | here.word(j, w)) &
                        ~(everywhere.word(i, w) | everywhere.word(j, w));
                    counts[baseline] += std::bitset<64>(bits).count() * spectrum_parts;
                }
            }
        }
    }
}

} // namespace gr::fringe
