/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_ENGINE_H
#define INCLUDED_FRINGE_IO_PACKET_ENGINE_H

#include "io/packets/udp_sockets.h"
#include <functional>
#include <memory>

namespace gr {
namespace fringe {
namespace io {

//! Reads the packets that come to sockets, in one of the ways that the system offers.
class FRINGE_API packet_engine
{
public:
    virtual ~packet_engine() = default;

    //! Gets a packet and its size, or null where its sender is not one that is received, or
    //! where it was cut (then with size 0).
    using sink = std::function<void(const std::uint8_t*, std::size_t)>;
    //! Hands on what has come; waits for it a tenth of a second at most.
    virtual void serve(const sink& to) = 0;
    //! Packets that found the kernel's buffer full, or had a wrong checksum, so far.
    virtual std::uint64_t dropped() = 0;
    //! A sentence where the system has granted less than was asked for, with what mends it;
    //! otherwise "".
    virtual std::string advice() const = 0;
};

/*!
 * The engine of a name: "recvmmsg" reads the sockets themselves; "packet_ring" reads a ring
 * in memory that the kernel fills before the packets get to a socket, which needs the right
 * CAP_NET_RAW; "auto" is recvmmsg. Throws std::invalid_argument with the name and what is
 * wrong. The sockets must outlive the engine.
 */
FRINGE_API std::unique_ptr<packet_engine> make_packet_engine(const std::string& name,
                                                             udp_sockets& sockets);

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_PACKET_ENGINE_H */
