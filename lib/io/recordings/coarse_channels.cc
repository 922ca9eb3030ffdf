/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/coarse_channels.h"

namespace gr::fringe::io {

void coarse_channels::describe(const std::string& path,
                               const recording_hints& hints,
                               recording_info& info) const
{
    const bool all = hints.coarse_channel == recording_hints::all_channels;
    if (!all && hints.coarse_channel >= count)
        throw std::invalid_argument(path + ": holds " + std::to_string(count) +
                                    " coarse channels, counted from 0; there is no " +
                                    std::to_string(hints.coarse_channel));
    info.coarse_channels = all ? count : 1;
    info.streams = info.coarse_channels * inputs;
    info.inverted = width < 0;
    info.center_frequency = all || center == 0 ? center : frequency(hints.coarse_channel);
    if (hints.streams != 0 && hints.streams != info.streams)
        throw std::invalid_argument(
            path + ": holds " + std::to_string(info.coarse_channels) + " channels of " +
            std::to_string(inputs) + " polarizations, not the " +
            std::to_string(hints.streams) + " inputs that were given");
}

} // namespace gr::fringe::io
