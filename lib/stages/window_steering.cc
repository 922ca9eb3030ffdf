/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/window_steering.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr::fringe {

window_delays window_delays::of_inputs(std::size_t first, std::size_t count) const
{
    window_delays some = *this;
    if (inputs > 0) {
        const auto begin = seconds.begin() + static_cast<std::ptrdiff_t>(first * spectra);
        some.seconds = {begin, begin + static_cast<std::ptrdiff_t>(count * spectra)};
        some.inputs = count;
    }
    return some;
}

kernels::steering window_delays::steering(std::size_t first, double frequency) const
{
    return {seconds.data() + first, spectra, sample_rate, frequency, stop_fringes};
}

double windows_before(const epoch& instant,
                      const array::timeline& time,
                      std::uint64_t first,
                      std::size_t window,
                      std::size_t points)
{
    const double seconds =
        instant.seconds_since(window_middle(time, first, window)) - 1e-15;
    return std::ceil(seconds * time.rate() / static_cast<double>(points));
}

std::int64_t window_delays::shift(std::size_t input, std::size_t s) const
{
    return std::llround(seconds[input * spectra + s] * sample_rate);
}

std::int64_t window_delays::latest(std::size_t s) const
{
    std::int64_t maximum = inputs > 0 ? shift(0, s) : 0;
    for (std::size_t i = 1; i < inputs; ++i) {
        maximum = std::max(maximum, shift(i, s));
    }
    return maximum;
}

// A window that begins n samples later meets a sample where one that does not would have
// met it n samples before. One more on either side: n changes as time goes on.
std::vector<invalid_run> window_delays::met_by_windows(std::vector<invalid_run> runs,
                                                       std::uint64_t origin,
                                                       std::size_t first,
                                                       std::size_t count) const
{
    for (invalid_run& r : runs) {
        if (count == 0 || r.input >= inputs) {
            continue;
        }
        const std::int64_t a = shift(r.input, first),
                           b = shift(r.input, first + count - 1);
        const auto at = static_cast<std::int64_t>(origin + r.first);
        const auto end = at + static_cast<std::int64_t>(r.count);
        const std::int64_t from = std::max<std::int64_t>(0, at - std::max(a, b) - 1);
        const std::int64_t until = std::max(from, end - std::min(a, b) + 1);
        r.first = static_cast<std::uint64_t>(from) - origin;
        r.count = static_cast<std::uint64_t>(until - from);
    }
    return runs;
}

std::vector<invalid_run> window_delays::before(std::uint64_t begin,
                                               std::uint64_t sample,
                                               std::size_t first,
                                               std::size_t count) const
{
    std::vector<invalid_run> runs;
    if (inputs == 0 || sample - begin >= max_shift) {
        return runs; // no window reaches back so far
    }
    for (std::size_t i = 0; i < inputs; ++i) {
        const auto starts_before = [&](std::uint64_t s) {
            return static_cast<std::int64_t>(sample - begin + s * points) +
                       shift(i, first + s) <
                   0;
        };
        std::uint64_t some = 0;
        while (some < count && starts_before(some)) {
            ++some;
        }
        if (some > 0) {
            runs.push_back({i, 0, some});
        }
    }
    return runs;
}

window_steering::window_steering(const tracking::sptr& towards,
                                 const kernels::channelizer_params& p)
    : d_towards(towards),
      d_inputs(p.inputs),
      d_points(p.points()),
      d_window(p.taps * p.points())
{
    if (towards && towards->inputs() != p.inputs) {
        throw std::invalid_argument("channelizer: tracking: an observation of " +
                                    std::to_string(towards->inputs()) +
                                    " inputs: must have as many as the block, " +
                                    std::to_string(p.inputs));
    }
}

std::size_t window_steering::max_shift_samples(const tracking::sptr& towards)
{
    return towards ? static_cast<std::size_t>(
                         std::ceil(towards->longest() * towards->sample_rate())) +
                         1
                   : 0;
}

window_delays window_steering::delays(const array::timeline& time,
                                      std::uint64_t first,
                                      std::size_t spectra) const
{
    if (!time.started()) {
        throw std::runtime_error(
            "channelizer: delays are tracked in time, and the data came "
            "without the tag rx_time");
    }
    if (!(std::abs(time.rate() / d_towards->sample_rate() - 1) < 1e-6)) {
        throw std::runtime_error("channelizer: the data have " +
                                 std::to_string(time.rate()) +
                                 " samples a second; the observation whose delays are "
                                 "tracked says " +
                                 std::to_string(d_towards->sample_rate()));
    }
    window_delays found;
    found.seconds.resize(d_inputs * spectra);
    found.inputs = d_inputs;
    found.spectra = spectra;
    found.points = d_points;
    found.max_shift = max_shift_samples(d_towards);
    found.sample_rate = time.rate();
    found.stop_fringes = d_towards->fringe_stopping();
    d_towards->delays(window_middle(time, first, d_window),
                      static_cast<double>(d_points) / time.rate(),
                      spectra,
                      found.seconds.data());
    return found;
}

std::size_t window_steering::whole_before(std::uint64_t end,
                                          const array::timeline& time,
                                          std::uint64_t first,
                                          std::size_t spectra) const
{
    if (spectra == 0 || !time.started()) {
        return 0;
    }
    const window_delays shifts = delays(time, first, spectra);
    std::size_t whole = 0;
    // A sample to spare: the kernels may round a half the other way.
    while (whole < spectra &&
           static_cast<std::int64_t>(first + whole * d_points + d_window) +
                   shifts.latest(whole) + 1 <=
               static_cast<std::int64_t>(end)) {
        ++whole;
    }
    return whole;
}

} // namespace gr::fringe
