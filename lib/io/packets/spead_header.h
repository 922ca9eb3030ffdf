/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPEAD_HEADER_H
#define INCLUDED_FRINGE_IO_SPEAD_HEADER_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <optional>

namespace gr::fringe::io::spead {

//! Ids of items that packets without data have.
constexpr unsigned descriptor = 5, stream_control = 6;

/*!
 * The header of a SPEAD packet of flavor 64-48: eight bytes (magic 0x53, version 4, two
 * bytes of id and six of value in an item, two reserved bytes, the number of items), and
 * that number of items of eight bytes, in network order: bit 63 is set where the value is
 * immediate, 15 bits of id, 48 of value. Items come in any order and number.
 */
struct header {
    std::size_t items;
    std::size_t header_bytes;
};

//! None where the bytes are no such header.
FRINGE_API std::optional<header> open(const std::uint8_t* packet, std::size_t size);

//! The value of the first item with that id.
FRINGE_API std::optional<std::uint64_t>
find(const std::uint8_t* packet, std::size_t items, unsigned id);

} // namespace gr::fringe::io::spead

#endif /* INCLUDED_FRINGE_IO_SPEAD_HEADER_H */
