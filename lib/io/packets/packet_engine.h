/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_ENGINE_H
#define INCLUDED_FRINGE_IO_PACKET_ENGINE_H

#include "io/packets/udp_sockets.h"
#include <memory>

namespace gr::fringe::io {

//! What an engine hands packets to.
class packet_taker
{
public:
    virtual ~packet_taker() = default;
    //! A packet, whose bytes stay where they are until flush().
    virtual void take(const std::uint8_t* packet, std::size_t size) = 0;
    //! A packet of a sender that is not received.
    virtual void take_foreign() = 0;
    //! A packet that was cut.
    virtual void take_cut() = 0;
    //! The memory of the packets will be used again.
    virtual void flush() = 0;
};

//! Reads packets that come to sockets, in one of the ways that the system offers, for one
//! thread.
class FRINGE_API packet_engine
{
public:
    virtual ~packet_engine() = default;

    //! Hands on what has come; waits for it a tenth of a second at most.
    virtual void serve(packet_taker& to) = 0;
    //! Packets that found the kernel's buffer full, or had a wrong checksum, so far.
    virtual std::uint64_t dropped() = 0;
    //! A sentence where the system has granted less than was asked for, with what mends it;
    //! otherwise "".
    virtual std::string advice() const = 0;
};

/*!
 * Engines for as many threads as the sockets' settings say, which divide the packets among
 * them. "recvmmsg" reads the sockets themselves; "packet_ring" reads a ring in memory that
 * the kernel fills before the packets get to a socket, which needs the right CAP_NET_RAW;
 * "auto" is recvmmsg. Throws std::invalid_argument with the name and what is wrong. The
 * sockets must outlive the engines.
 */
FRINGE_API std::vector<std::unique_ptr<packet_engine>>
make_packet_engines(udp_sockets& sockets);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_ENGINE_H */
