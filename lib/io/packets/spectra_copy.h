/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_COPY_H
#define INCLUDED_FRINGE_IO_SPECTRA_COPY_H

#include "io/packets/packet_layout.h"
#include "io/packets/spectra_turn.h"
#include <array>

namespace gr::fringe::io {

/*!
 * Copies payloads of spectra into items [channel][input][time] of complex int8, as the
 * X-engine takes them.
 *
 * Packets often hold a single spectrum, so that neighbors in the item come from different
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
    void end();

private:
    static constexpr std::size_t together = 32; // spectra
    // Values are put in order in a panel that stays in the cache.
    static constexpr std::size_t row_values = 1024, panel_values = 2 * row_values;
    // Inputs of a packet that lie behind each other in its payload, in values.
    struct run {
        std::size_t first, place, count;
    };

    void write();
    void divide(const std::uint8_t* from, std::size_t count);
    void write_panel(int8_pair* out,
                     std::size_t rows,
                     std::size_t times,
                     std::size_t step) const;

    const packet_layout d_layout;
    const std::size_t d_inputs;
    const std::size_t d_value_bytes; // in a payload
    std::size_t d_time_step = 1, d_channel_step = 1;
    std::vector<run> d_runs;
    nibble_code d_code;
    bool d_in_turn =
        false; // two inputs, and their spectra follow each other in a payload
    const std::vector<std::uint8_t> d_zeros; // a payload that stands for what was lost

    int8_pair* d_out = nullptr; // first channel and input of the part
    std::size_t d_block = 0, d_written = 0, d_waiting = 0;
    std::array<const std::uint8_t*, together> d_spectra{};
    alignas(64) std::array<std::uint16_t, panel_values> d_panel{};
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_COPY_H */
