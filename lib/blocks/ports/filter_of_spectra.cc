/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/filter_of_spectra.h"
#include <stdexcept>

namespace gr::fringe {

blanked_parts filter_of_spectra(const block_streams& streams,
                                const std::string& block,
                                std::size_t channels)
{
    const std::string taps = streams.received("taps");
    if (taps.empty()) {
        throw std::runtime_error(block + ": samples were blanked before the filter bank, "
                                         "and the spectra come without a "
                                         "description of it (the tag stream); connect "
                                         "the channelizer, or a block that "
                                         "passes tags on");
    }
    const bool real = streams.received("complex_samples") == "False";
    return {channels * (real ? 2 : 1),
            static_cast<unsigned>(std::stoul(taps)),
            streams.received("window")};
}

} // namespace gr::fringe
