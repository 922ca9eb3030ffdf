/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_axes_errors.h"
#include "kernels/base/types.h"
#include <cmath>
#include <sstream>

namespace gr::fringe {

namespace {

std::string hertz(double f)
{
    std::ostringstream s;
    s.precision(12);
    s << f << " Hz";
    return s.str();
}

} // namespace

dump_axes::dump_axes(const observation& obs,
                     std::size_t channels,
                     bool complex_samples,
                     const dump_selection& keep)
    : selection(keep),
      d_observation(obs),
      d_channels(channels),
      d_complex(complex_samples)
{
    if (obs.inputs.empty()) {
        refuse("obs", "no inputs", "give an observation with antennas");
    }
    if (channels == 0) {
        refuse("channels", "0", "must be at least 1");
    }
    select_channels();
    select_inputs();
    select_products();
}

std::size_t dump_axes::received_products() const
{
    return kernels::baselines(d_observation.inputs.size());
}

void dump_axes::select_channels()
{
    auto& s = selection;
    if (s.average == 0) {
        refuse("average", "0", "must be at least 1");
    }
    const auto f = d_observation.channel_frequencies(d_channels, d_complex);
    if (s.lowest != 0 || s.highest != 0) {
        if (s.first_channel != 0 || s.channels != 0) {
            refuse("lowest, highest",
                   hertz(s.lowest) + ", " + hertz(s.highest),
                   "give channels either by number or by frequency");
        }
        while (s.first_channel < d_channels && f[s.first_channel] < s.lowest) {
            ++s.first_channel;
        }
        std::size_t end = s.first_channel;
        while (end < d_channels && (s.highest == 0 || f[end] <= s.highest)) {
            ++end;
        }
        s.channels = (end - s.first_channel) / s.average * s.average;
        if (s.channels == 0) {
            refuse("lowest, highest",
                   hertz(s.lowest) + ", " + hertz(s.highest),
                   "fewer than " + std::to_string(s.average) +
                       " channels lie in there; their middles go from " + hertz(f[0]) +
                       " to " + hertz(f.back()));
        }
    } else {
        if (s.first_channel >= d_channels) {
            refuse("first_channel",
                   std::to_string(s.first_channel),
                   "channels are numbered 0 ... " + std::to_string(d_channels - 1));
        }
        const std::size_t left = d_channels - s.first_channel;
        if (s.channels > left) {
            refuse("channels kept",
                   std::to_string(s.channels),
                   "from channel " + std::to_string(s.first_channel) + " on there are " +
                       std::to_string(left));
        }
        if (s.channels % s.average != 0) {
            refuse("average",
                   std::to_string(s.average),
                   "must divide the " + std::to_string(s.channels) + " channels kept");
        }
        s.channels = s.channels == 0 ? left / s.average * s.average : s.channels;
        if (s.channels == 0) {
            refuse("average",
                   std::to_string(s.average),
                   "there are only " + std::to_string(left) + " channels");
        }
    }
    const double received = d_observation.sample_rate /
                            static_cast<double>(d_complex ? d_channels : 2 * d_channels);
    const double half_group = static_cast<double>(s.average - 1) / 2 * received;
    for (std::size_t k = 0; k < s.channels; k += s.average) {
        frequencies.push_back(f[s.first_channel + k] + half_group);
        widths.push_back(received * static_cast<double>(s.average));
    }
}

double dump_axes::center() const
{
    const auto n = static_cast<double>(frequencies.size());
    return frequencies[0] +
           widths[0] * (d_complex ? static_cast<double>(frequencies.size() / 2) : n / 2);
}

double dump_axes::center_shift() const
{
    return center() - d_observation.center_frequency;
}

observation dump_axes::reduced_observation() const
{
    const std::string& p = selection.polarization;
    if (of_pairs()) {
        refuse("polarization",
               p,
               "is for displays: a file takes all polarizations, or one of X Y R L");
    }
    observation obs = d_observation;
    obs.inputs.clear();
    for (const std::size_t i : d_inputs) {
        obs.inputs.push_back(d_observation.inputs[i]);
    }
    const auto n = static_cast<double>(frequencies.size());
    obs.channels = frequencies.size();
    obs.sample_rate = n * widths[0] * (d_complex ? 1 : 2);
    obs.center_frequency = center();
    if (obs.tracking && !obs.fringe_stopping &&
        std::abs(obs.center_frequency - d_observation.center_frequency) > 1e-3) {
        refuse("fringe_stopping",
               "false",
               "delays were tracked about " + hertz(d_observation.center_frequency) +
                   ", which must stay the middle of the band; stop the fringes, or keep "
                   "all channels with an average that leaves it there");
    }
    return obs;
}

} // namespace gr::fringe
