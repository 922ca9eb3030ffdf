/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/frequency_axis.h"
#include <cmath>
#include <sstream>

namespace gr::fringe {

namespace {

constexpr double same_rate = 1e-6;
constexpr double same_frequency = 0.01; // of a channel

std::string sentence(const std::string& block,
                     const std::string& field,
                     double observed,
                     double data,
                     const std::string& tag)
{
    std::ostringstream s;
    s.precision(12);
    s << block << ": " << field << ": the observation has " << observed
      << " Hz, the data have " << data << " Hz (tag " << tag << "): give the source the "
      << field << " of the observation, or the observation that of the data";
    return s.str();
}

} // namespace

frequency_axis::frequency_axis(const observation& obs,
                               std::size_t channels,
                               bool complex_samples)
    : d_rate(obs.sample_rate),
      d_center(obs.center_frequency),
      d_channels(static_cast<double>(complex_samples ? channels : 2 * channels))
{
}

std::string frequency_axis::contradiction(const std::string& block,
                                          std::optional<double> frequency,
                                          std::optional<double> width) const
{
    const double rate = width.value_or(0) * d_channels;
    if (rate > 0 && !(std::abs(rate - d_rate) <= same_rate * rate)) {
        return sentence(block, "sample_rate", d_rate, rate, "rx_rate");
    }
    const double maximum = same_frequency * (rate > 0 ? rate : d_rate) / d_channels;
    const double middle = frequency.value_or(0);
    if (middle != 0 && !(std::abs(middle - d_center) <= maximum)) {
        return sentence(block, "center_frequency", d_center, middle, "rx_freq");
    }
    return "";
}

} // namespace gr::fringe
