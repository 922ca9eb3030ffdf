/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_helpers.h"

namespace gr::fringe::io {

void check_read(const std::string& path,
                std::uint64_t samples,
                std::uint64_t first,
                std::size_t count,
                std::size_t granule)
{
    if (first <= samples && count <= samples - first && first % granule == 0 &&
        count % granule == 0)
        return;
    throw std::invalid_argument(
        path + ": has " + std::to_string(samples) + " samples" +
        (granule > 1 ? ", readable in groups of " + std::to_string(granule) : "") +
        "; samples " + std::to_string(first) + " to " + std::to_string(first + count) +
        " were asked for");
}

std::uint64_t samples_claimed(const std::string& path,
                              const std::string& claim,
                              std::uint64_t n,
                              std::uint64_t factor,
                              std::uint64_t divisor)
{
    __extension__ using wide = unsigned __int128;
    const wide samples = static_cast<wide>(n) * factor / divisor;
    if (samples > max_samples_claimed)
        throw damaged_recording(path + ": " + claim +
                                " means more than 10^18 samples; is its header damaged?");
    return static_cast<std::uint64_t>(samples);
}

} // namespace gr::fringe::io
