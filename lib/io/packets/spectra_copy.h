/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_COPY_H
#define INCLUDED_FRINGE_IO_SPECTRA_COPY_H

#include "io/packets/packet_layout.h"
#include <array>

namespace gr {
namespace fringe {
namespace io {

/*!
 * Copies payloads of spectra into items [channel][input][time] of complex int8, as the
 * X-engine takes them.
 *
 * Packets often hold a single spectrum, so that neighbours in the item come from different
 * packets. Some spectra are copied together: what is read of their packets, and what is
 * written, are then whole lines of the cache.
 */
class spectra_copy
{
public:
    //! `parts`: sources times their blocks of channels, as packet_window counts them.
    spectra_copy(const packet_layout& layout, std::size_t parts);

    std::size_t item_bytes(std::size_t block) const
    {
        return 2 * d_inputs * d_layout.all_channels * block;
    }
    //! Begins a part of an item for `block` spectra.
    void begin(std::uint8_t* item, std::size_t block, std::size_t part);
    //! The next spectra of the part are those from `from` on of a payload; null: zeros.
    void add(const std::uint8_t* payload, std::size_t from, std::size_t count);
    //! Ends the part.
    void end() { write(); }

private:
    static constexpr std::size_t together = 32; // spectra
    using pair = std::uint16_t;                 // two int8, the real one first in memory

    void write();
    template <class Decode>
    void write_all(Decode decode);

    const packet_layout d_layout;
    const std::size_t d_inputs;
    const std::size_t d_value_bytes; // in a payload
    std::size_t d_time_step = 1, d_channel_step = 1;
    std::vector<std::size_t> d_place;  // [input of a packet], in values
    std::array<pair, 256> d_decoded{}; // of codes of one byte

    pair* d_out = nullptr; // first channel and input of the part
    std::size_t d_block = 0, d_written = 0, d_waiting = 0;
    std::array<const std::uint8_t*, together> d_spectra{};
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_SPECTRA_COPY_H */
