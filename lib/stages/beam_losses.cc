/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_losses.h"
#include "stages/bad_spectra.h"
#include <algorithm>

namespace gr::fringe {

beam_losses::beam_losses(std::size_t beams, std::size_t channels, std::size_t inputs)
    : d_beams(beams),
      d_channels(channels),
      d_inputs(inputs),
      d_powers(beams * channels * inputs),
      d_all(beams * channels),
      d_there(d_all.size()),
      d_expected(d_all.size())
{
}

void beam_losses::set_weights(const std::vector<std::complex<float>>& weights)
{
    std::fill(d_all.begin(), d_all.end(), 0.0);
    for (std::size_t n = 0; n < weights.size(); ++n) {
        d_powers[n] = std::norm(std::complex<double>(weights[n]));
        d_all[n / d_inputs] += d_powers[n];
    }
}

// Spectra of an item in which the inputs of a channel were there.
void beam_losses::add_there(std::size_t channel,
                            const std::vector<std::uint64_t>& spectra)
{
    for (std::size_t b = 0; b < d_beams; ++b) {
        const std::size_t cell = b * d_channels + channel;
        for (std::size_t i = 0; i < d_inputs; ++i) {
            d_there[cell] +=
                static_cast<double>(spectra[i]) * d_powers[cell * d_inputs + i];
        }
    }
}

void beam_losses::add(std::uint64_t first,
                      std::uint64_t count,
                      const std::vector<invalid_run>& invalid,
                      const std::vector<lost_spectra>& lost,
                      const std::vector<kernels::cell_run>& flagged)
{
    const bool whole = invalid.empty() && lost.empty() && flagged.empty();
    d_spectra += count;
    for (std::size_t n = 0; n < d_all.size(); ++n) {
        d_expected[n] += static_cast<double>(count) * d_all[n];
        d_there[n] += whole ? static_cast<double>(count) * d_all[n] : 0;
    }
    if (whole) {
        return;
    }
    std::vector<char> zero(d_channels * d_inputs); // flagged: nothing of them is there
    for (const auto& run : flagged) {
        const std::size_t end = std::min<std::size_t>(run.first + run.count, zero.size());
        for (std::size_t cell = run.first; cell < end; ++cell) {
            zero[cell] = 1;
        }
    }
    const bad_spectra everywhere(d_inputs, first, count, invalid);
    std::vector<std::uint64_t> there(d_inputs);
    for (std::size_t c = 0; c < d_channels; ++c) {
        bad_spectra here = everywhere;
        for (const auto& l : lost) {
            if (c >= l.channel && c - l.channel < l.channels) {
                here.set(l);
            }
        }
        for (std::size_t i = 0; i < d_inputs; ++i) {
            there[i] = zero[c * d_inputs + i] ? 0 : count - here.count(i);
            d_whole = d_whole && there[i] == count;
        }
        add_there(c, there);
    }
}

void beam_losses::clear()
{
    std::fill(d_there.begin(), d_there.end(), 0.0);
    std::fill(d_expected.begin(), d_expected.end(), 0.0);
    d_spectra = 0;
    d_whole = true;
}

double beam_losses::there(std::size_t beam, std::size_t first, std::size_t count) const
{
    double sum = 0;
    for (std::size_t c = first; c < first + count; ++c) {
        sum += d_there[beam * d_channels + c];
    }
    return sum;
}

double beam_losses::expected(std::size_t beam, std::size_t first, std::size_t count) const
{
    double sum = 0;
    for (std::size_t c = first; c < first + count; ++c) {
        sum += d_expected[beam * d_channels + c];
    }
    return sum;
}

} // namespace gr::fringe
