/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/subintegration.h"
#include "blocks/ports/stream_tags.h"
#include "stages/spectrum_parts.h"

namespace gr::fringe {

std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> subintegration::tags() const
{
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> all;
    if (start) {
        all.emplace_back(tag::rx_time(), tag::from_epoch(*start));
        all.emplace_back(tag::rx_rate(), pmt::from_double(rate));
        all.emplace_back(tag::rx_freq(), pmt::from_double(freq));
    }
    all.emplace_back(tag::spectra(), pmt::from_uint64(counts.spectra()));
    if (!counts.all_valid()) {
        all.emplace_back(tag::valid(), from_valid(counts.valid()));
    }
    if (!gains.empty()) {
        all.emplace_back(tag::gains(), pmt::init_f32vector(gains.size(), gains));
    }
    auto left_out = flagged.windows();
    left_out.insert(left_out.end(), lost.windows().begin(), lost.windows().end());
    if (!left_out.empty()) {
        all.emplace_back(tag::flagged_spectra(), from_flagged_spectra(left_out));
    }
    return all;
}

void subintegration::flag(const std::vector<cell_run>& cells)
{
    std::vector<std::uint64_t> lost;
    if (!counts.all_valid()) {
        for (const std::uint64_t valid : counts.valid()) {
            lost.push_back(counts.spectra() * spectrum_parts - valid);
        }
    }
    flagged.add(cells, counts.spectra(), lost);
}

} // namespace gr::fringe
