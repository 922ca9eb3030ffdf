/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/sum_in_parts.h"
#include "stages/spectrum_parts.h"
#include <algorithm>

namespace gr::fringe {

sum_in_parts::sum_in_parts(std::size_t inputs, std::size_t channels)
    : d_inputs(inputs), d_channel_count(channels)
{
}

void sum_in_parts::begin(std::uint64_t spectra,
                         std::vector<std::uint64_t> valid,
                         std::vector<kernels::flagged_spectra> flagged)
{
    d_under_way = true;
    d_channels = d_added = 0;
    d_spectra = spectra;
    d_valid = std::move(valid);
    d_flagged = std::move(flagged);
}

void sum_in_parts::repeat()
{
    d_under_way = true;
    d_channels = 0;
}

void sum_in_parts::interrupt()
{
    if (d_under_way) {
        d_added = std::max(d_added, d_channels);
    }
    d_under_way = false;
}

void sum_in_parts::take(std::size_t channels)
{
    d_channels += channels;
    if (d_channels >= d_channel_count) {
        d_under_way = false;
        d_added = 0;
    }
}

std::vector<kernels::flagged_spectra> sum_in_parts::end_without_rest()
{
    std::vector<kernels::flagged_spectra> left_out = d_flagged;
    const auto came = static_cast<std::uint32_t>(d_added * d_inputs);
    const auto all = static_cast<std::uint32_t>(d_channel_count * d_inputs);
    for (kernels::flagged_spectra& f : left_out) {
        while (!f.cells.empty() && f.cells.back().first >= came) {
            f.cells.pop_back();
        }
        if (!f.cells.empty()) {
            auto& last = f.cells.back();
            last.count = std::min(last.count, came - last.first);
        }
    }
    left_out.push_back({{{came, all - came}}, d_spectra * spectrum_parts, {}});
    if (d_valid.size() == kernels::baselines(d_inputs)) {
        left_out.back().valid = d_valid;
    }
    d_under_way = false;
    d_added = 0;
    return left_out;
}

} // namespace gr::fringe
