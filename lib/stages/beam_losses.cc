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

// Whether two beams have the same |w|^2. Phases that are turned from channel to channel leave
// rounding of some millionths.
bool same_powers(const weights* a, const weights* b, std::size_t count)
{
    for (std::size_t n = 0; n < count; ++n) {
        const float of_a = std::norm(a[n]), of_b = std::norm(b[n]);
        if (!(std::abs(of_a - of_b) <= 1e-5f * of_a)) {
            return false;
        }
    }
    return true;
}

} // namespace

beam_losses::beam_losses(std::size_t beams, std::size_t channels, std::size_t inputs)
    : d_beams(beams),
      d_channels(channels),
      d_inputs(inputs),
      d_group(beams),
      d_firsts(1),
      d_powers(channels * inputs),
      d_all(channels),
      d_lost(channels * inputs),
      d_touched(channels),
      d_less(channels),
      d_zero(channels * inputs)
{
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
    sum_up();
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
    const std::size_t size = d_channels * d_inputs, none = d_beams;
    d_firsts.clear();
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
                group = d_firsts.size();
            }
        });
        d_group[first] = d_firsts.size(); // whatever is no number
        d_firsts.push_back(first);
    }
    d_powers.resize(d_firsts.size() * size);
    d_all.assign(d_firsts.size() * d_channels, 0.0);
    by->run(d_firsts.size(), [&](std::size_t g, unsigned) {
        for (std::size_t n = 0; n < size; ++n) {
            const float power = std::norm(of[d_firsts[g] * size + n]);
            d_powers[g * size + n] = power;
            d_all[g * d_channels + n / d_inputs] += static_cast<double>(power);
        }
    });
    begin_count();
}

// Nothing has been counted with these weights.
void beam_losses::begin_count()
{
    d_counted = 0;
    std::fill(d_lost.begin(), d_lost.end(), 0u);
    std::fill(d_touched.begin(), d_touched.end(), char(0));
    d_less.assign(d_all.size(), 0.0);
    d_summed = true;
}

void beam_losses::lose(std::size_t channel, std::size_t input, std::uint64_t parts)
{
    if (parts > 0) {
        d_lost[channel * d_inputs + input] += parts;
        d_touched[channel] = 1;
        d_whole = d_summed = false;
    }
}

void beam_losses::sum_up() const
{
    if (d_summed) {
        return;
    }
    d_summed = true;
    kernels::workers::shared()->run(d_channels, [this](std::size_t c, unsigned) {
        std::vector<std::pair<std::size_t, double>> lost; // inputs, spectra
        for (std::size_t i = 0; d_touched[c] && i < d_inputs; ++i) {
            const std::uint64_t parts = d_lost[c * d_inputs + i];
            if (parts > 0) {
                lost.emplace_back(
                    i, static_cast<double>(parts) / static_cast<double>(spectrum_parts));
            }
        }
        for (std::size_t cell = c; cell < d_less.size(); cell += d_channels) {
            d_less[cell] = 0;
            for (const auto& [i, spectra] : lost) {
                d_less[cell] +=
                    spectra * static_cast<double>(d_powers[cell * d_inputs + i]);
            }
        }
    });
}

namespace {

// Parts of spectra that blanked samples of each input come to, of those that are valid.
std::vector<std::uint64_t> lost_to_blanking(std::size_t inputs,
                                            std::uint64_t first,
                                            std::uint64_t count,
                                            const bad_spectra& bad,
                                            const std::vector<invalid_run>& blanked,
                                            const blanked_parts* parts)
{
    std::vector<std::uint64_t> lost(inputs);
    if (!parts || blanked.empty()) {
        return lost;
    }
    blanked_spectra zeros(*parts, inputs, blanked, first, count);
    std::vector<char> out(count);
    for (std::size_t i = 0; i < inputs; ++i) {
        for (std::uint64_t t = 0; t < count; ++t) {
            out[t] = bad.word(i, t / 64) >> t % 64 & 1;
        }
        lost[i] = zeros.lost(i, i, out, out);
    }
    return lost;
}

// Parts of spectra that are missing of each input.
std::vector<std::uint64_t> gone(std::size_t inputs,
                                std::uint64_t first,
                                std::uint64_t count,
                                const bad_spectra& bad,
                                const std::vector<invalid_run>& blanked,
                                const blanked_parts* parts)
{
    auto missing = lost_to_blanking(inputs, first, count, bad, blanked, parts);
    for (std::size_t i = 0; i < inputs; ++i) {
        missing[i] += bad.count(i) * spectrum_parts;
    }
    return missing;
}

bad_spectra
with_lost(bad_spectra bad, const std::vector<lost_spectra>& lost, std::size_t channel)
{
    for (const auto& l : lost) {
        if (channel >= l.channel && channel - l.channel < l.channels) {
            bad.set(l);
        }
    }
    return bad;
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
    const std::uint64_t all = count * spectrum_parts;
    d_calls++;
    for (const auto& run : flagged) {
        const std::size_t end =
            std::min<std::size_t>(run.first + run.count, d_zero.size());
        for (std::size_t cell = run.first; cell < end; ++cell) {
            if (d_zero[cell] != d_calls) { // nothing of it is there
                d_zero[cell] = d_calls;
                lose(cell / d_inputs, cell % d_inputs, all);
            }
        }
    }
    if (invalid.empty() && lost.empty() && blanked.empty()) {
        return;
    }
    const bad_spectra everywhere(d_inputs, first, count, invalid);
    const auto of_all = gone(d_inputs, first, count, everywhere, blanked, parts);
    std::vector<char> more(d_channels);
    for (const auto& l : lost) {
        for (std::size_t c = l.channel; c < std::min(l.channel + l.channels, d_channels);
             ++c) {
            more[c] = 1;
        }
    }
    for (std::size_t c = 0; c < d_channels; ++c) {
        // Samples that were blanked in spectra that this channel lost are not lost twice.
        const auto of_this = !more[c] ? of_all
                                      : gone(d_inputs,
                                             first,
                                             count,
                                             with_lost(everywhere, lost, c),
                                             blanked,
                                             parts);
        for (std::size_t i = 0; i < d_inputs; ++i) {
            if (d_zero[c * d_inputs + i] != d_calls) {
                lose(c, i, std::min(of_this[i], all));
            }
        }
    }
}

void beam_losses::clear()
{
    d_there.clear();
    d_expected.clear();
    begin_count();
    d_spectra = 0;
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
