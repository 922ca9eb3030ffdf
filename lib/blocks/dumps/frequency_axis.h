/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FREQUENCY_AXIS_H
#define INCLUDED_FRINGE_BLOCKS_FREQUENCY_AXIS_H

#include <gnuradio/fringe/observation.h>
#include <optional>

namespace gr::fringe {

/*!
 * The frequencies of dumps as an observation has them, to be compared with those of the
 * data. A receiver may set its rate or its frequency a little beside what was asked for:
 * equal are rates within 1e-6, and frequencies within a hundredth of a channel.
 */
class FRINGE_API frequency_axis
{
public:
    frequency_axis(const observation& obs, std::size_t channels, bool complex_samples);

    //! Why the data cannot be of this observation, "" when they can: a sentence that names
    //! `block` and both values. `frequency`: rx_freq of the data, the middle of their band
    //! (0 = not known); `width`: of their channels; both in Hz, where the data have them.
    std::string contradiction(const std::string& block,
                              std::optional<double> frequency,
                              std::optional<double> width) const;
    //! The data have been tuned away: their rate is the observation's, and the middle of
    //! their band is another.
    bool tuned_away(std::optional<double> frequency, std::optional<double> width) const
    {
        return contradiction("", std::nullopt, width).empty() &&
               !contradiction("", frequency, width).empty();
    }
    //! The observation's middle of the band is another from now on, in Hz.
    void retune(double frequency) { d_center = frequency; }
    double center_frequency() const { return d_center; }

private:
    double d_rate, d_center; // Hz
    double d_channels;       // to a sample rate
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_FREQUENCY_AXIS_H */
