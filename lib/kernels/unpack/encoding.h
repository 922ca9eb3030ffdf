/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H

#include "kernels/base/compute_target.h"
#include "kernels/base/types.h"

namespace gr::fringe::kernels {

//! Which decoder of decoders.h, packed_bits.h or stream_major_bits.h an encoding has. Other
//! processors find theirs by it.
enum class sample_code {
    i8,
    u8,
    i16,
    u16,
    f32,
    ci8,
    cu8,
    ci16,
    cu16,
    cf32,
    mwa16,
    mwa8,
    bits1,
    bits2,
    bits4,
    cbits1,
    cbits2,
    cbits4,
    sign_magnitude,
    stream_major,
    cu8_128,
};

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
    sample_code code = sample_code::i8;
    bool is_complex = false;
    //! Bits of one sample of one stream (both components of a complex one).
    unsigned bits = 8;
    //! The narrowest number that holds every value exactly.
    component natural = component::i8;
    //! The largest number a component can be, where larger voltages end up: the rail. 0 =
    //! none: floats, and 1 or 2 bits, whose outer levels are for a third of all samples.
    float rail = 0;

    //! Unpacks one file's raw block. Stream s goes to row rows[s] of `out`; a row is
    //! `stride` samples of the component long, and `samples` of them are written.
    using function = void (*)(const std::uint8_t* raw,
                              std::size_t streams,
                              std::size_t samples,
                              const std::size_t* rows,
                              void* out,
                              std::size_t stride);
    //! [backend][component]; null where the component cannot hold the values.
    function unpack[2][4] = {};
    bool holds(component c) const { return unpack[0][static_cast<std::size_t>(c)]; }
    //! In which a device has the voltages: levels, where these are such, are a quarter of f32.
    component on_device() const
    {
        return holds(component::level) ? component::level : natural;
    }

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

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_ENCODING_H */
