/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/spectra_detector.h"
#include <utility>

namespace gr {
namespace fringe {

spectra_detector::spectra_detector(const kurtosis_search& search,
                                   std::size_t inputs,
                                   std::size_t channels,
                                   std::size_t block_spectra,
                                   std::size_t missing)
    : d_block_spectra(block_spectra),
      d_window(window_spectra(search, inputs, block_spectra)),
      d_missing(missing),
      d_missing_now(missing),
      d_drop(search.drop),
      d_decisions(detector_of("channelizer", search, inputs, channels, 0), search.period),
      d_now{0, std::vector<std::uint32_t>(inputs)},
      d_s1(inputs * channels),
      d_s2(d_s1.size())
{
    announce();
}

void spectra_detector::announce()
{
    if (d_drop && !d_decision) {
        d_decision = from_flagged({});
    }
}

kernels::valid_spectra spectra_detector::count(const std::vector<invalid_run>& lost,
                                               std::size_t spectra)
{
    if (!d_now.add(lost, spectra, d_block_spectra, d_ok)) {
        return {nullptr, 0};
    }
    return {d_ok.data(), d_block_spectra};
}

void spectra_detector::end_window(kernels::channelizer& sums,
                                  const epoch& start,
                                  double rate)
{
    if (d_now.spectra == 0) {
        return;
    }
    sums.read_powers(d_s1.data(), d_s2.data());
    const auto& causes = d_decisions.decide(d_s1.data(), d_s2.data(), d_now, start, rate);
    if (d_drop) {
        d_decision = from_flagged(runs_of(causes));
    }
    d_now = {0, std::vector<std::uint32_t>(d_now.valid.size())};
    d_missing_now = 0;
}

pmt::pmt_t spectra_detector::decision()
{
    pmt::pmt_t now;
    std::swap(now, d_decision);
    return now;
}

} // namespace fringe
} // namespace gr
