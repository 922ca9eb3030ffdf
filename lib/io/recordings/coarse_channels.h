/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_COARSE_CHANNELS_H
#define INCLUDED_FRINGE_IO_COARSE_CHANNELS_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! The channels that a recorder had split its band into before it recorded.
struct coarse_channels {
    std::size_t count = 1;
    std::size_t inputs = 1; //!< of a channel: antennas and polarizations
    double center = 0;      //!< Hz, of the whole band
    double width = 0;       //!< Hz, of a channel; negative where frequencies go down

    //! Of the middle of a channel.
    double frequency(std::size_t channel) const
    {
        return center + width * (static_cast<double>(channel) + 0.5 -
                                 static_cast<double>(count) / 2);
    }

    //! Says in `info` which streams are read, all or those of the channel that the hints
    //! choose, and at what frequency. Throws std::invalid_argument for a channel that is
    //! none, and for other streams than those given.
    void describe(const std::string& path,
                  const recording_hints& hints,
                  recording_info& info) const;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_COARSE_CHANNELS_H */
