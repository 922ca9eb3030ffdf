/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_STEER_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_STEER_H

#include "kernels/channelizer/channelizer.h"
#include <algorithm>
#include <cstddef>

namespace gr::fringe::kernels {

//! What a delay does to one spectrum of one input.
struct steered {
    std::ptrdiff_t shift = 0; //!< samples by which its window begins later
    double turns = 0;         //!< of phase of channel 0, to be added
    double slope = 0;         //!< turns more from channel to channel
};

/*!
 * What delays do to the spectra of one input during a call, see steering. The turns are
 * those of the sky's frequency, millions of them, so they are counted in double, and
 * reduced.
 */
class input_steering
{
public:
    input_steering(const channelizer_params& p, const steering& to, std::size_t i)
        : d_delays(to.delays + i * to.stride),
          d_max_shift(static_cast<double>(p.max_shift_samples)),
          d_rate(to.sample_rate),
          d_period(1 / to.sample_rate),
          d_width(to.sample_rate / static_cast<double>(p.points()))
    {
        // Channel 0 and the frequency that the receiver puts at zero, from the band's middle.
        const double quarter = p.complex_samples ? 0 : to.sample_rate / 4;
        const double first =
            p.complex_samples ? -d_width * static_cast<double>(p.channels / 2) : -quarter;
        const double zero = !p.conjugate.empty() && p.conjugate[i] ? quarter : -quarter;
        d_of_delay = (to.stop_fringes ? to.frequency : 0) + first;
        d_of_shift = first - zero;
    }

    //! Spectrum s of the call.
    steered at(std::size_t s) const
    {
        const double delay = d_delays[s];
        const double samples = delay * d_rate;
        const double n = std::clamp(nearest(samples), -d_max_shift, d_max_shift);
        const double turns = d_of_delay * delay - d_of_shift * (n * d_period);
        return {static_cast<std::ptrdiff_t>(n),
                turns - nearest(turns),
                d_width * (delay - n * d_period)};
    }

private:
    //! Up to 2^51; a call to the library would take as long as all the rest.
    static double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

    const double* const d_delays; //!< [spectrum]
    const double d_max_shift, d_rate, d_period, d_width;
    double d_of_delay, d_of_shift; //!< turns per second
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_STEER_H */
