/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_plan.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace gr::fringe {

beam_plan::beam_plan(beam_weights weights, beam_settings settings)
    : d_beams(weights.beams(settings)),
      d_weights(std::move(weights)),
      d_settings(std::move(settings))
{
    d_weights.check(d_settings);
}

void beam_plan::change(beam_settings settings, const epoch& from)
{
    d_weights.check(settings);
    require(d_weights.beams(settings) == d_beams,
            "beamformer",
            "directions",
            settings.directions.size(),
            "must be as many as before, " +
                std::to_string(d_beams / d_weights.polarizations().size()));
    std::lock_guard<std::mutex> lock(d_mutex);
    d_next = planned{std::move(settings), from};
}

void beam_plan::correct(std::vector<std::complex<float>> factors, const epoch& from)
{
    d_weights.check(factors);
    d_corrections.plan({std::move(factors), from});
}

void beam_plan::describe(double frequency, const std::vector<float>& gains)
{
    if (frequency != d_frequency || gains != d_gains) {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_frequency = frequency;
        d_gains = gains;
        restart(); // the weights are others
    }
}

namespace {

// How many spectra from number n on come before a change that counts from an instant on.
std::uint64_t
spectra_before(const epoch& from, const array::timeline& time, std::uint64_t n)
{
    if (!time.started() || from == epoch()) {
        return 0;
    }
    // A middle within a femtosecond of the instant is on it.
    const double seconds = from.seconds_since(time.middle(n)) - 1e-15;
    const double before = std::ceil(seconds * time.rate());
    return static_cast<std::uint64_t>(std::clamp(before, 0.0, 1e18));
}

} // namespace

// Takes the changes that count from spectrum n on. Returns how many spectra come before the
// next one counts; nothing when none waits.
std::optional<std::uint64_t> beam_plan::take_changes(const array::timeline& time,
                                                     std::uint64_t n)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    std::optional<std::uint64_t> next;
    const auto wait = [&](std::uint64_t before) {
        next = std::min(next.value_or(before), before);
        return before > 0;
    };
    if (d_next && !wait(spectra_before(d_next->from, time, n))) {
        d_settings = std::move(d_next->settings);
        d_next.reset();
        next.reset();
        restart();
    }
    auto from = d_corrections.next();
    for (; from && spectra_before(*from, time, n) == 0; from = d_corrections.next()) {
        d_weights.correct(d_corrections.take().factors);
        restart();
    }
    if (from) {
        wait(spectra_before(*from, time, n));
    }
    return next;
}

std::vector<std::complex<float>> beam_plan::weights_at(const epoch& t) const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_weights.at(d_settings, t, d_frequency, d_gains);
}

// A stretch that begins with spectrum n.
void beam_plan::make(const array::timeline& time, std::uint64_t n)
{
    const double rate = time.started() ? time.rate() : 1;
    if (!time.started() && d_settings.moving) {
        throw std::runtime_error("beamformer: directions are followed in time, and the "
                                 "spectra came without the tag rx_time");
    }
    double spectra = rate; // a second
    if (d_settings.moving) {
        const double turning = d_weights.turning(d_settings, time.at(n), d_frequency);
        spectra = std::min(spectra, 2 * max_turn / std::max(turning, 1e-12) * rate);
    }
    const auto length = static_cast<std::uint64_t>(std::max(spectra, 1.0));
    const epoch middle =
        time.started()
            ? time.at(n).plus_half_samples(static_cast<std::int64_t>(length), rate)
            : epoch();
    const bool goes_on = !d_now.empty() && d_end > d_begin;
    const bool known = goes_on && !d_settings.moving;
    d_begin = n;
    d_end = n + length;
    d_changed = !known;
    d_turned = !known && goes_on && d_settings.nulls.empty();
    if (d_turned) {
        d_steering = d_weights.steering_at(d_settings, middle, d_frequency, d_gains);
    } else if (!known) {
        d_now = d_weights.at(d_settings, middle, d_frequency, d_gains);
    }
}

// A channel of width w that is late by tau keeps sinc(w tau) of its correlation.
std::string beam_plan::smearing(const epoch& t) const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    const double spread = d_weights.spread(d_settings, t);
    const double late = M_PI * spread / 2 * d_weights.channel_width();
    if (late < 0.3) {
        return "";
    }
    const double kept = late < M_PI ? std::sin(late) / late : 0;
    std::ostringstream s;
    s << std::setprecision(3) << "the delays of inputs differ by up to " << spread * 1e6
      << " us in a beam, so inputs at the ends of the array bring up to "
      << std::lround(100 * (1 - kept))
      << " % less of their voltage: use more channels, or let the channelizer track "
         "(tracking: true)";
    return s.str();
}

std::uint64_t
beam_plan::next(const array::timeline& time, std::uint64_t n, std::uint64_t limit)
{
    d_changed = d_turned = false;
    const auto before = take_changes(time, n);
    if (n < d_begin || n >= d_end || d_now.empty()) {
        make(time, n);
    }
    return std::min({limit, d_end - n, before.value_or(limit)});
}

} // namespace gr::fringe
