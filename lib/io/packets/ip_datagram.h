/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_IP_DATAGRAM_H
#define INCLUDED_FRINGE_IO_IP_DATAGRAM_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <optional>

namespace gr::fringe::io {

//! What a UDP datagram over IPv4 holds.
struct ip_datagram {
    std::uint32_t sender; //!< in network order
    const std::uint8_t* payload;
    std::size_t bytes;
};

/*!
 * Reads a datagram from its IP header on, as the kernel does for a socket: none where it is
 * a fragment, is shorter than its headers say, or has a wrong checksum.
 *
 * \param vouched the kernel says that the checksum of UDP is right, or need not be asked
 *        for, as that of a packet which never left this computer
 */
FRINGE_API std::optional<ip_datagram>
read_datagram(const std::uint8_t* packet, std::size_t size, bool vouched);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_IP_DATAGRAM_H */
