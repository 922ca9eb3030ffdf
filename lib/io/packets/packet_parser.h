/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_PARSER_H
#define INCLUDED_FRINGE_IO_PACKET_PARSER_H

#include "io/packets/packet_layout.h"
#include <unordered_map>

namespace gr::fringe::io {

//! What the header of a packet says.
struct parsed_packet {
    enum class outcome {
        good,
        garbled, //!< not of this layout
        damaged, //!< of another size than the layout's: the header is to be trusted
        foreign  //!< of a stream, source or channel that is not received
    };
    outcome what = outcome::garbled;
    std::size_t part = 0; //!< which of the sources; of spectra [source][channel block]
    std::int64_t source = -1;  //!< as the packet counts; -1 = not read
    std::int64_t channel = -1; //!< of spectra, the first one, as the F-engine counts
    std::int64_t time = 0;     //!< ticks, modulo the layout's turn
    bool invalid = false;      //!< marked as bad by the sender
    const std::uint8_t* payload = nullptr;
    double frequency = 0; //!< Hz, 0 = not given
};

//! Reads the headers of packets of one layout, whatever bytes they are.
class FRINGE_API packet_parser
{
public:
    //! `parts`: sources that are received, times the channel blocks of each.
    packet_parser(packet_layout layout, std::size_t parts);

    const packet_layout& layout() const { return d_layout; }
    parsed_packet parse(const std::uint8_t* packet, std::size_t size);
    //! Whether it is known which of several streams is received; the first good packet may
    //! have to tell.
    bool chosen() const;

private:
    struct spead_items {
        const std::uint8_t* packet = nullptr;
        std::size_t count = 0;
        std::size_t header_bytes = 0;
    };

    bool is_control(const spead_items& items) const;
    std::size_t part_of(std::size_t source, std::int64_t channel) const;
    bool open_spead(const std::uint8_t* packet, std::size_t size, spead_items& to) const;
    std::optional<std::uint64_t> value(const packet_field& f,
                                       const std::uint8_t* packet,
                                       std::size_t size,
                                       const spead_items& items) const;
    std::optional<std::int64_t> sum(const std::vector<packet_term>& terms,
                                    const std::uint8_t* packet,
                                    std::size_t size,
                                    const spead_items& items) const;

    packet_layout d_layout;
    std::size_t d_parts;
    std::size_t d_payload_bytes;
    std::unordered_map<std::uint64_t, std::size_t> d_part_of; // source number -> part
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_PARSER_H */
