/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H
#define INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H

#include <algorithm>
#include <cstddef>
#include <gnuradio/fringe/observation.h>
#include <optional>

namespace gr::fringe::array {

/*!
 * Channels of a band that are not like the others.
 *
 * An even number of channels of complex samples: the first one lies half below the band and
 * half above it, where the band wraps around. It holds half of either edge, of two sky
 * frequencies, and of a source less than half the flux.
 *
 * What is constant in complex samples lies in the middle of the band. Of real samples it is
 * in the first channel; but where the spectrum is inverted, behind the last one, so that no
 * channel holds it. Where only some inputs are inverted the others have it.
 */
struct band_channels {
    std::optional<std::size_t> edge; //!< holds both edges of the band
    std::optional<std::size_t> dc;   //!< holds what is constant in the samples

    band_channels() = default;
    band_channels(const observation& obs, std::size_t channels, bool complex_samples)
    {
        if (complex_samples && channels % 2 == 0) {
            edge = 0;
        }
        const auto inverted = obs.conjugated();
        if (complex_samples) {
            dc = channels / 2;
        } else if (std::count(inverted.begin(), inverted.end(), 0) > 0) {
            dc = 0;
        }
    }
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_BAND_CHANNELS_H */
