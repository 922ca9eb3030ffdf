/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_RING_H
#define INCLUDED_FRINGE_IO_PACKET_RING_H

#include "io/packets/mapped_ring.h"
#include "io/packets/packet_engine.h"
#include <map>

namespace gr::fringe::io {

//! Numbers of the groups of rings that share the packets of an address, one for each
//! address; the first ring of an address begins a group.
using fanout_groups = std::map<std::string, std::uint16_t>;

/*!
 * Reads packets from a ring in memory, which the kernel fills as they come from the network:
 * without a system call for some of them, and without the way through a socket.
 *
 * What a socket would check is checked here: the address and port by a filter in the kernel,
 * the lengths and checksums by read_datagram(). The sockets stay open, so that the port is
 * taken, multicast groups are joined and no sender gets to know that nobody listens; they
 * receive nothing themselves.
 */
class FRINGE_API packet_ring : public packet_engine
{
public:
    //! Throws std::invalid_argument where the system refuses.
    packet_ring(udp_sockets& sockets, fanout_groups& groups);

    void serve(packet_taker& to) override;
    std::uint64_t dropped() override;
    std::string advice() const override { return ""; }

private:
    std::size_t read_blocks(packet_taker& to);
    void read_frame(const tpacket3_hdr& frame, packet_taker& to);

    const udp_sockets& d_sockets;
    std::vector<std::unique_ptr<mapped_ring>> d_rings;
    std::uint64_t d_wrong = 0; // datagrams with wrong lengths or checksums
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_RING_H */
