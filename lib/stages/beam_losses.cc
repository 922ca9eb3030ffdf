/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_losses.h"
#include "stages/bad_spectra.h"
#include "stages/spectrum_parts.h"
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
void beam_losses::add_there(std::size_t channel, const std::vector<double>& spectra)
{
    for (std::size_t b = 0; b < d_beams; ++b) {
        const std::size_t cell = b * d_channels + channel;
        for (std::size_t i = 0; i < d_inputs; ++i) {
            d_there[cell] += spectra[i] * d_powers[cell * d_inputs + i];
        }
    }
}

namespace {

// Spectra that blanked samples of each input come to, of those that are valid.
std::vector<double> lost_to_blanking(std::size_t inputs,
                                     std::uint64_t first,
                                     std::uint64_t count,
                                     const bad_spectra& bad,
                                     const std::vector<invalid_run>& blanked,
                                     const blanked_parts* parts)
{
    std::vector<double> lost(inputs);
    if (!parts || blanked.empty()) {
        return lost;
    }
    blanked_spectra zeros(*parts, inputs, blanked, first, count);
    std::vector<char> out(count);
    for (std::size_t i = 0; i < inputs; ++i) {
        for (std::uint64_t t = 0; t < count; ++t) {
            out[t] = bad.word(i, t / 64) >> t % 64 & 1;
        }
        lost[i] = static_cast<double>(zeros.lost(i, i, out, out)) /
                  static_cast<double>(spectrum_parts);
    }
    return lost;
}

} // namespace

void beam_losses::add(std::uint64_t first,
                      std::uint64_t count,
                      const std::vector<invalid_run>& invalid,
                      const std::vector<lost_spectra>& lost,
                      const std::vector<kernels::cell_run>& flagged,
                      const std::vector<invalid_run>& blanked,
                      const blanked_parts* parts)
{
    const bool whole =
        invalid.empty() && lost.empty() && flagged.empty() && blanked.empty();
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
    const auto taken =
        lost_to_blanking(d_inputs, first, count, everywhere, blanked, parts);
    std::vector<double> there(d_inputs);
    for (std::size_t c = 0; c < d_channels; ++c) {
        bad_spectra here = everywhere;
        bool more = false;
        for (const auto& l : lost) {
            if (c >= l.channel && c - l.channel < l.channels) {
                here.set(l);
                more = true;
            }
        }
        // Samples that were blanked in spectra that this channel lost are not lost twice.
        const auto blanks =
            more ? lost_to_blanking(d_inputs, first, count, here, blanked, parts) : taken;
        for (std::size_t i = 0; i < d_inputs; ++i) {
            const auto valid = static_cast<double>(count - here.count(i)) - blanks[i];
            there[i] = zero[c * d_inputs + i] ? 0 : std::max(valid, 0.0);
            d_whole = d_whole && there[i] == static_cast<double>(count);
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
