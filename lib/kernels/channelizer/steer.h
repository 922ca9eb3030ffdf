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
#include <cmath>
#include <cstddef>

namespace gr {
namespace fringe {
namespace kernels {

//! What a delay does to one spectrum of one input.
struct steered {
    std::ptrdiff_t shift = 0; //!< samples by which its window begins later
    double turns = 0;         //!< of phase of channel 0, to be added
    double slope = 0;         //!< turns more from channel to channel
};

//! See steering. The turns are those of the sky's frequency, millions of them, so they are
//! counted in double, and reduced.
inline steered
steered_by(const channelizer_params& p, const steering& to, std::size_t i, double delay)
{
    const double reach = static_cast<double>(p.reach);
    const double n = std::clamp(std::nearbyint(delay * to.sample_rate), -reach, reach);
    const double shift = n / to.sample_rate;
    const double width = to.sample_rate / static_cast<double>(p.points());
    // Channel 0 and the frequency that the receiver puts at zero, from the band's middle.
    const double quarter = p.complex_samples ? 0 : to.sample_rate / 4;
    const double first =
        p.complex_samples ? -width * static_cast<double>(p.channels / 2) : -quarter;
    const double zero = !p.conjugate.empty() && p.conjugate[i] ? quarter : -quarter;
    const double turns = (to.stop_fringes ? to.frequency * delay : 0) + first * delay -
                         (first - zero) * shift;
    return {static_cast<std::ptrdiff_t>(n),
            turns - std::nearbyint(turns),
            width * (delay - shift)};
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_STEER_H */
