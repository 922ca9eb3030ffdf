/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STREAM_KINDS_H
#define INCLUDED_FRINGE_BLOCKS_STREAM_KINDS_H

#include "blocks/ports/stream_description.h"
#include "kernels/base/types.h"
#include <gnuradio/fringe/dump_axes.h>

namespace gr::fringe {

//! What there is on the wires, as stream_description::kind.
namespace stream_kind {
inline const std::string raw = "raw samples", voltages = "voltages", spectra = "spectra",
                         spectra_of_some_inputs = "spectra of some inputs", sums = "sums",
                         visibilities = "visibilities", weights = "weights",
                         flags = "flags", one_baseline = "spectra of one baseline",
                         fractions = "fractions flagged", beam_powers = "powers of beams",
                         beam_weights = "weights of beams";
} // namespace stream_kind

//! Of dumps with all products of some inputs.
inline stream_fields
dump_fields(std::size_t inputs, std::size_t channels, std::size_t channels_per_item)
{
    return {{"inputs", inputs},
            {"channels", channels},
            {"channels_per_item", channels_per_item},
            {"products", "all"},
            {"baselines", kernels::baselines(inputs)}};
}

//! The channel of reduced dumps that is one of the received ones as it came, or none.
inline std::string kept_channel(const dump_axes& axes,
                                const std::optional<std::size_t>& received)
{
    const dump_selection& s = axes.selection;
    const bool kept = received && s.average == 1 && *received >= s.first_channel &&
                      *received - s.first_channel < axes.frequencies.size();
    return kept ? std::to_string(*received - s.first_channel) : "none";
}

//! Of dumps after a selection.
inline stream_fields dump_fields(const dump_axes& axes, std::size_t channels_per_item)
{
    return {{"channels", axes.frequencies.size()},
            {"channels_per_item", channels_per_item},
            {"products", axes.selection.products},
            {"baselines", axes.baselines.size()},
            {"complex_samples", axes.complex_samples()}};
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STREAM_KINDS_H */
