/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_losses.h"
#include "kernels/base/workers.h"
#include "stages/bad_spectra.h"
#include "stages/spectrum_parts.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe {

namespace {

using weights = std::complex<float>;

// Whether two beams have the same |w|^2, to a millionth: phases of others leave rounding.
bool same_powers(const weights* a, const weights* b, std::size_t count)
{
    for (std::size_t n = 0; n < count; ++n) {
        const float of_a = std::norm(a[n]), of_b = std::norm(b[n]);
        if (!(std::abs(of_a - of_b) <= 1e-6f * of_a)) {
            return false;
        }
    }
    return true;
}

} // namespace

beam_losses::beam_losses(std::size_t beams, std::size_t channels, std::size_t inputs)
    : d_beams(beams), d_channels(channels), d_inputs(inputs)
{
    set_weights(std::vector<weights>(beams * channels * inputs));
}

// What was counted with the weights before, of each beam.
void beam_losses::settle()
{
    std::vector<double> there(d_beams * d_channels), expected(there.size());
    for (std::size_t n = 0; n < there.size(); ++n) {
        there[n] = there_in(n);
        expected[n] = expected_in(n);
    }
    d_there = std::move(there);
    d_expected = std::move(expected);
}

double beam_losses::expected_in(std::size_t cell) const
{
    const double now = static_cast<double>(d_counted) * d_all[group_cell(cell)];
    return d_expected.empty() ? now : d_expected[cell] + now;
}

// Rounding leaves less than a 1e-12th of a beam that lost everything.
double beam_losses::there_in(std::size_t cell) const
{
    const double all = static_cast<double>(d_counted) * d_all[group_cell(cell)];
    const double left = all - d_less[group_cell(cell)];
    const double now = left > 1e-12 * all ? left : 0;
    return d_there.empty() ? now : d_there[cell] + now;
}

void beam_losses::set_weights(const std::vector<std::complex<float>>& of)
{
    if (d_counted > 0) {
        settle();
    }
    d_counted = 0;
    const std::size_t size = d_channels * d_inputs, none = d_beams;
    std::vector<std::size_t> firsts;
    d_group.assign(d_beams, none);
    const auto by = kernels::workers::shared();
    for (std::size_t first = 0; first < d_beams; ++first) {
        if (d_group[first] != none) {
            continue;
        }
        by->run(d_beams - first, [&](std::size_t k, unsigned) {
            std::size_t& group = d_group[first + k];
            if (group == none &&
                same_powers(&of[first * size], &of[(first + k) * size], size)) {
                group = firsts.size();
            }
        });
        d_group[first] = firsts.size(); // whatever is no number
        firsts.push_back(first);
    }
    d_powers.resize(firsts.size() * size);
    d_all.assign(firsts.size() * d_channels, 0.0);
    d_less.assign(d_all.size(), 0.0);
    for (std::size_t n = 0; n < d_powers.size(); ++n) {
        const weights w = of[firsts[n / size] * size + n % size];
        d_powers[n] = std::norm(std::complex<double>(w));
        d_all[n / d_inputs] += d_powers[n];
    }
}

// Of each input of a channel `spectra` fewer were there.
void beam_losses::take_off(std::size_t channel, const std::vector<double>& spectra)
{
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < d_inputs; ++i) {
        if (spectra[i] > 0) {
            inputs.push_back(i);
        }
    }
    d_whole = d_whole && inputs.empty();
    for (std::size_t cell = channel; cell < d_less.size(); cell += d_channels) {
        for (const std::size_t i : inputs) {
            d_less[cell] += spectra[i] * d_powers[cell * d_inputs + i];
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
    d_spectra += count;
    d_counted += count;
    if (invalid.empty() && lost.empty() && flagged.empty() && blanked.empty()) {
        return;
    }
    std::vector<char> zero(d_channels * d_inputs); // flagged: nothing of them is there
    std::vector<char> touched(d_channels, !invalid.empty() || !blanked.empty());
    for (const auto& run : flagged) {
        const std::size_t end = std::min<std::size_t>(run.first + run.count, zero.size());
        for (std::size_t cell = run.first; cell < end; ++cell) {
            zero[cell] = 1;
            touched[cell / d_inputs] = 1;
        }
    }
    for (const auto& l : lost) {
        for (std::size_t c = l.channel; c < std::min(l.channel + l.channels, d_channels);
             ++c) {
            touched[c] = 1;
        }
    }
    const bad_spectra everywhere(d_inputs, first, count, invalid);
    const auto taken =
        lost_to_blanking(d_inputs, first, count, everywhere, blanked, parts);
    std::vector<double> less(d_inputs);
    for (std::size_t c = 0; c < d_channels; ++c) {
        if (!touched[c]) {
            continue;
        }
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
        const auto all = static_cast<double>(count);
        for (std::size_t i = 0; i < d_inputs; ++i) {
            const double gone = static_cast<double>(here.count(i)) + blanks[i];
            less[i] = zero[c * d_inputs + i] ? all : std::min(gone, all);
        }
        take_off(c, less);
    }
}

void beam_losses::clear()
{
    d_there.clear();
    d_expected.clear();
    std::fill(d_less.begin(), d_less.end(), 0.0);
    d_spectra = d_counted = 0;
    d_whole = true;
}

double beam_losses::there(std::size_t beam, std::size_t first, std::size_t count) const
{
    double sum = 0;
    for (std::size_t c = first; c < first + count; ++c) {
        sum += there_in(beam * d_channels + c);
    }
    return sum;
}

double beam_losses::expected(std::size_t beam, std::size_t first, std::size_t count) const
{
    double sum = 0;
    for (std::size_t c = first; c < first + count; ++c) {
        sum += expected_in(beam * d_channels + c);
    }
    return sum;
}

} // namespace gr::fringe
