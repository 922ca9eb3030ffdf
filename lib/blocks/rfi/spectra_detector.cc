/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/spectra_detector.h"
#include "kernels/channelizer/backends.h"
#include <utility>

namespace gr::fringe {

namespace {

kernels::kurtosis_params sums_of(const kernels::channelizer_params& p)
{
    const auto in = p.requantize_bits ? kernels::component::i8 : kernels::component::f32;
    return {p.inputs, p.channels, p.block_spectra, in, p.layout};
}

} // namespace

spectra_detector::spectra_detector(const kurtosis_search& search,
                                   const kernels::compute_target& backend,
                                   const kernels::channelizer_params& p)
    : d_backend(backend),
      d_p(sums_of(p)),
      d_sums(kernels::make_kurtosis(backend, d_p)),
      d_window(window_spectra(search, p.inputs, p.block_spectra)),
      d_missing(
          missing_spectra(p.taps - 1 + kernels::max_shift_rows(p), p.block_spectra)),
      d_missing_now(d_missing),
      d_drop(search.drop),
      d_decisions(
          detector_of("channelizer", search, p.inputs, p.channels, p.requantize_bits),
          search.period),
      d_now{0, std::vector<std::uint32_t>(p.inputs)},
      d_s1(p.inputs * p.channels),
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

void spectra_detector::set_layout(kernels::spectra_layout layout)
{
    d_p.layout = layout;
    d_sums = kernels::make_kurtosis(d_backend, d_p);
}

void spectra_detector::add(const void* item,
                           std::size_t spectra,
                           const std::vector<invalid_run>& lost)
{
    d_sums->add(item, spectra, nullptr);
    d_now.add(lost, 0, spectra);
}

void spectra_detector::end_window(const epoch& start, double rate)
{
    if (d_now.spectra == 0) {
        return;
    }
    d_sums->read(d_s1.data(), d_s2.data());
    d_sums->clear();
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

} // namespace gr::fringe
