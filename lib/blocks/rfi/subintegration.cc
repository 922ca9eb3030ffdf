/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/subintegration.h"
#include "blocks/ports/stream_tags.h"

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
        const auto valid = counts.valid();
        all.emplace_back(tag::valid(), pmt::init_u64vector(valid.size(), valid));
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
    std::vector<std::uint64_t> invalid;
    if (!counts.all_valid()) {
        for (const std::uint64_t valid : counts.valid()) {
            invalid.push_back(counts.spectra() - valid);
        }
    }
    flagged.add(cells, counts.spectra(), invalid);
}

} // namespace gr::fringe
