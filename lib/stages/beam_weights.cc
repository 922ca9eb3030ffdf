/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_weights.h"
#include "kernels/base/require.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/rows.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe {

namespace {

const std::string me = "beamformer";

double fraction(double turns) { return turns - std::round(turns); }

} // namespace

beam_weights::beam_weights(const observation& obs, beam_spectra of)
    : d_inputs(obs.inputs), d_of(std::move(of)), d_place(obs.inputs.size())
{
    require(me, !d_inputs.empty(), "the observation has no inputs");
    require(me, obs.sample_rate > 0, "the observation has no sample_rate");
    require(d_of.channels >= 1, me, "channels", d_of.channels, "must be at least 1");
    check(d_of.corrections);
    for (const char p : std::string("XYRL")) {
        for (std::size_t i = 0; i < d_inputs.size(); ++i) {
            if (d_inputs[i].polarization == p) {
                if (d_polarizations.find(p) == std::string::npos) {
                    d_polarizations += p;
                }
                d_place[i] = d_polarizations.size() - 1;
            }
        }
    }
    observation band = obs;
    band.center_frequency = 0;
    const auto f = band.channel_frequencies(d_of.channels, d_of.complex_samples);
    d_lowest = f[0];
    d_width = obs.sample_rate /
              static_cast<double>(d_of.complex_samples ? f.size() : 2 * f.size());
}

void beam_weights::check(const std::vector<std::complex<float>>& corrections) const
{
    const std::size_t wanted = d_inputs.size() * d_of.channels;
    require(corrections.empty() || corrections.size() == wanted,
            me,
            "corrections",
            corrections.size(),
            "must be inputs * channels, " + std::to_string(wanted) + ", or empty");
    for (const auto& c : corrections) {
        require(std::isfinite(c.real()) && std::isfinite(c.imag()),
                me,
                "corrections",
                c.real(),
                "every factor must be finite");
    }
}

void beam_weights::correct(std::vector<std::complex<float>> corrections)
{
    check(corrections);
    d_of.corrections = std::move(corrections);
}

void beam_weights::check(const beam_settings& s) const
{
    require(me,
            !s.directions.empty(),
            "directions: the list is empty; give at least one direction");
    require(s.amplitudes.empty() || s.amplitudes.size() == d_inputs.size(),
            me,
            "amplitudes",
            s.amplitudes.size(),
            "must be " + std::to_string(d_inputs.size()) +
                ", a number for each input, or empty");
    for (const float a : s.amplitudes) {
        require(std::isfinite(a) && a >= 0, me, "amplitudes", a, "must be 0 or more");
    }
    for (const char p : d_polarizations) {
        std::size_t heard = 0;
        for (std::size_t i = 0; i < d_inputs.size(); ++i) {
            heard += d_inputs[i].polarization == p && amplitude(s, i) > 0;
        }
        require(me,
                heard > s.nulls.size(),
                std::string("nulls: beams of polarization ") + p + " hear " +
                    std::to_string(heard) + " inputs, and " +
                    std::to_string(s.nulls.size()) +
                    " nulls are wanted; there must be fewer nulls than inputs");
    }
}

float beam_weights::amplitude(const beam_settings& s, std::size_t i) const
{
    if (d_inputs[i].bad) {
        return 0;
    }
    return s.amplitudes.empty() ? 1 : s.amplitudes[i];
}

// The delays that are left in the spectra.
std::vector<double> beam_weights::residual(tracking& towards, const epoch& t) const
{
    auto delays = towards.delays(t, 1, 1);
    if (d_of.reference) {
        const auto out = d_of.reference->delays(t, 1, 1);
        std::transform(delays.begin(),
                       delays.end(),
                       out.begin(),
                       delays.begin(),
                       std::minus<double>());
    }
    return delays;
}

double
beam_weights::turning(const beam_settings& s, const epoch& t, double frequency) const
{
    constexpr double step = 1.0 / 128; // seconds
    const double width = d_width * static_cast<double>(d_of.channels);
    const double highest = std::abs(frequency) + width;
    double fastest = 0;
    for (const auto* all : {&s.directions, &s.nulls}) {
        for (const auto& towards : *all) {
            const auto now = residual(*towards, t);
            const auto then = residual(*towards, t.plus_seconds(step));
            for (std::size_t i = 0; i < now.size(); ++i) {
                fastest = std::max(fastest, std::abs(then[i] - now[i]) / step * highest);
            }
        }
    }
    if (d_of.reference && !d_of.reference->fringe_stopping()) {
        const auto now = d_of.reference->delays(t, step, 2);
        double left = 0; // in the spectra, of the middle of the band
        for (std::size_t i = 0; i + 1 < now.size(); i += 2) {
            left = std::max(left,
                            std::abs(now[i + 1] - now[i]) / step * std::abs(frequency));
        }
        fastest += left;
    }
    return fastest;
}

double beam_weights::spread(const beam_settings& s, const epoch& t) const
{
    double widest = 0;
    for (const auto& towards : s.directions) {
        const auto delays = residual(*towards, t);
        const auto ends = std::minmax_element(delays.begin(), delays.end());
        widest = std::max(widest, *ends.second - *ends.first);
    }
    return widest;
}

// Calls use(i, turns in the first channel, turns from a channel to the next) for all inputs.
template <class Use>
void beam_weights::each_turn(tracking& towards,
                             const epoch& t,
                             double frequency,
                             Use use) const
{
    const auto delays = residual(towards, t);
    const bool turns = d_of.reference && !d_of.reference->fringe_stopping();
    const auto turning = turns ? d_of.reference->delays(t, 1, 1) : std::vector<double>();
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        const double left = turns ? frequency * turning[i] : 0;
        use(i, fraction((frequency + d_lowest) * delays[i] + left), d_width * delays[i]);
    }
}

// exp(2 pi i (f tau - f' tau')), of all inputs.
beam_weights::phases
beam_weights::steering(tracking& towards, const epoch& t, double frequency) const
{
    phases all(d_inputs.size() * d_of.channels, 1.0f);
    each_turn(towards, t, frequency, [&](std::size_t i, double first, double slope) {
        kernels::turn_row(first,
                          slope,
                          d_of.channels,
                          reinterpret_cast<float*>(&all[i * d_of.channels]));
    });
    return all;
}

beam_nulls
beam_weights::nulls_of(const beam_settings& s, const epoch& t, double frequency) const
{
    std::vector<std::vector<std::size_t>> heard(d_polarizations.size());
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        if (amplitude(s, i) > 0) {
            heard[d_place[i]].push_back(i);
        }
    }
    beam_nulls nulls(d_of.channels, heard);
    for (const auto& towards : s.nulls) {
        nulls.add(steering(*towards, t, frequency));
    }
    return nulls;
}

// With amplitudes alone for factors.
kernels::beam_steering
beam_weights::turns_at(const beam_settings& s, const epoch& t, double frequency) const
{
    const std::size_t inputs = d_inputs.size(), hands = d_polarizations.size();
    kernels::beam_steering all;
    all.inputs = inputs;
    all.turns.assign(beams(s) * inputs, std::nan(""));
    all.slopes.assign(beams(s) * inputs, 0.0);
    const auto make = [&](std::size_t d, unsigned) {
        each_turn(*s.directions[d],
                  t,
                  frequency,
                  [&](std::size_t i, double first, double slope) {
                      const std::size_t at = (d * hands + d_place[i]) * inputs + i;
                      all.turns[at] = first;
                      all.slopes[at] = slope;
                  });
    };
    // A tracking is for one thread, and all directions have this one.
    if (d_of.reference) {
        for (std::size_t d = 0; d < s.directions.size(); ++d) {
            make(d, 0);
        }
    } else {
        kernels::workers::shared()->run(s.directions.size(), make);
    }
    for (std::size_t c = 0; c < d_of.channels; ++c) {
        for (std::size_t i = 0; i < inputs; ++i) {
            all.factors.emplace_back(amplitude(s, i));
        }
    }
    return all;
}

// c_i(f) / g_i, [channel][input].
std::vector<std::complex<float>>
beam_weights::factors(const std::vector<float>& gains) const
{
    const std::size_t inputs = d_inputs.size();
    std::vector<std::complex<float>> all(d_of.channels * inputs, 1.0f);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const std::size_t i = n % inputs;
        if (!d_of.corrections.empty()) {
            all[n] = d_of.corrections[i * d_of.channels + n / inputs];
        }
        if (!gains.empty()) {
            all[n] /= gains[i];
        }
    }
    return all;
}

kernels::beam_steering beam_weights::steering_at(const beam_settings& s,
                                                 const epoch& t,
                                                 double frequency,
                                                 const std::vector<float>& gains) const
{
    auto all = turns_at(s, t, frequency);
    const auto more = factors(gains);
    for (std::size_t n = 0; n < more.size(); ++n) {
        all.factors[n] *= more[n];
    }
    return all;
}

std::vector<std::complex<float>> beam_weights::at(const beam_settings& s,
                                                  const epoch& t,
                                                  double frequency,
                                                  const std::vector<float>& gains) const
{
    if (s.nulls.empty()) {
        return steering_at(s, t, frequency, gains).weights();
    }
    const beam_nulls nulls = nulls_of(s, t, frequency);
    auto weights = turns_at(s, t, frequency).weights();
    const auto more = factors(gains);
    const std::size_t size = d_polarizations.size() * more.size();
    kernels::workers::shared()->run(s.directions.size(), [&](std::size_t d, unsigned) {
        auto* const beams = &weights[d * size];
        nulls.take_out(beams);
        for (std::size_t n = 0; n < size; ++n) {
            beams[n] *= more[n % more.size()];
        }
    });
    return weights;
}

} // namespace gr::fringe
