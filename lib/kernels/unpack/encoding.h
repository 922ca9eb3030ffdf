/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H

#include "kernels/types.h"

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * How samples are packed in a raw sample block, and the functions that unpack them.
 *
 * A raw block holds `samples` samples of each of `streams` streams of one file, as
 * recorded: [time][stream] for most formats, [stream][time] for those that store antennas
 * one after the other. The unpacked block is [input][time], a complex sample being (re,
 * im) of the component.
 */
struct encoding {
    //! What the blocks call it. A format whose files are all alike gives its own name.
    std::string name;
    bool is_complex = false;
    //! Bits of one sample of one stream (both components of a complex one).
    unsigned bits = 8;
    //! The narrowest component that holds every value exactly.
    component natural = component::i8;

    //! Unpacks one file's raw block. Stream s goes to row rows[s] of `out`; a row is
    //! `stride` samples of the component long, and `samples` of them are written.
    using function = void (*)(const std::uint8_t* raw,
                              std::size_t streams,
                              std::size_t samples,
                              const std::size_t* rows,
                              void* out,
                              std::size_t stride);
    //! [backend][component]; null where the component cannot hold the values.
    function unpack[2][3] = {};

    //! Bytes of `samples` samples of `streams` streams. Blocks hold whole bytes per
    //! stream.
    std::size_t bytes(std::size_t streams, std::size_t samples) const
    {
        return streams * samples * bits / 8;
    }
    std::size_t sample_bytes(component c) const
    {
        return component_bytes(c) * (is_complex ? 2 : 1);
    }
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H */
