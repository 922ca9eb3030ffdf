/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/window_steering.h"
#include "blocks/block_checks.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr {
namespace fringe {

window_steering::window_steering(const tracking::sptr& towards,
                                 const kernels::channelizer_params& p)
    : d_towards(towards),
      d_inputs(p.inputs),
      d_points(p.points()),
      d_window(p.taps * p.points())
{
    require(!towards || towards->inputs() == p.inputs,
            "channelizer",
            "tracking",
            "an observation of " + std::to_string(towards ? towards->inputs() : 0) +
                " inputs",
            "must have as many as the block, " + std::to_string(p.inputs));
}

std::size_t window_steering::reach(const tracking::sptr& towards)
{
    return towards ? static_cast<std::size_t>(
                         std::ceil(towards->longest() * towards->sample_rate())) +
                         1
                   : 0;
}

void window_steering::aim(const array::timeline& time,
                          std::uint64_t first,
                          std::size_t spectra)
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
    d_spectra = spectra;
    d_delays.resize(d_inputs * spectra);
    d_towards->delays(window_middle(time, first, d_window),
                      static_cast<double>(d_points) / time.rate(),
                      spectra,
                      d_delays.data());
}

kernels::steering
window_steering::steering(std::size_t first, double rate, double frequency) const
{
    return {d_delays.data() + first,
            d_spectra,
            rate,
            frequency,
            d_towards->fringe_stopping()};
}

std::int64_t window_steering::shift(std::size_t input, std::size_t s) const
{
    return std::llround(d_delays[input * d_spectra + s] * d_towards->sample_rate());
}

// A window that begins n samples later meets a sample where one that does not would have
// met it n samples before. One more on either side: n changes as time goes on.
std::vector<invalid_run> window_steering::met_by_windows(std::vector<invalid_run> runs,
                                                         std::uint64_t origin) const
{
    for (invalid_run& r : runs) {
        if (!d_towards || d_spectra == 0 || r.input >= d_inputs) {
            continue;
        }
        const std::int64_t a = shift(r.input, 0), b = shift(r.input, d_spectra - 1);
        const auto at = static_cast<std::int64_t>(origin + r.first);
        const auto end = at + static_cast<std::int64_t>(r.count);
        const std::int64_t first = std::max<std::int64_t>(0, at - std::max(a, b) - 1);
        const std::int64_t last = std::max(first, end - std::min(a, b) + 1);
        r.first = static_cast<std::uint64_t>(first) - origin;
        r.count = static_cast<std::uint64_t>(last - first);
    }
    return runs;
}

std::vector<invalid_run> window_steering::before(std::uint64_t begin,
                                                 std::uint64_t first,
                                                 std::size_t spectra) const
{
    std::vector<invalid_run> runs;
    if (!d_towards || first - begin >= reach(d_towards)) {
        return runs; // no window reaches back so far
    }
    for (std::size_t i = 0; i < d_inputs; ++i) {
        const auto starts_before = [&](std::uint64_t s) {
            return static_cast<std::int64_t>(first - begin + s * d_points) + shift(i, s) <
                   0;
        };
        std::uint64_t count = 0;
        while (count < spectra && starts_before(count)) {
            ++count;
        }
        if (count > 0) {
            runs.push_back({i, 0, count});
        }
    }
    return runs;
}

} // namespace fringe
} // namespace gr
