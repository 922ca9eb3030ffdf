/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H
#define INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H

#include <cstddef>
#include <optional>

namespace gr {
namespace fringe {
namespace array {

/*!
 * Channels of a band that are not like the others.
 *
 * An even number of channels of complex samples: the first one lies half below the band and
 * half above it, where the band wraps around. It holds half of either edge, of two sky
 * frequencies, and of a source less than half the flux.
 */
struct band_channels {
    std::optional<std::size_t> edge; //!< holds both edges of the band
    std::optional<std::size_t> dc;   //!< holds what is constant in the samples

    band_channels() = default;
    band_channels(std::size_t channels, bool complex_samples)
    {
        if (complex_samples && channels % 2 == 0) {
            edge = 0;
        }
        dc = complex_samples ? channels / 2 : 0;
    }
};

} // namespace array
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H */
