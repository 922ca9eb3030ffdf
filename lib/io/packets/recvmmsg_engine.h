/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECVMMSG_ENGINE_H
#define INCLUDED_FRINGE_IO_RECVMMSG_ENGINE_H

#include "io/packets/packet_engine.h"
#include <chrono>

namespace gr::fringe::io {

/*!
 * Reads the sockets of one reader, and those that all readers share, many packets a call
 * (recvmmsg). The kernel joins packets of one sender (UDP_GRO) where it can; they are handed
 * on one by one.
 */
class FRINGE_API recvmmsg_engine : public packet_engine
{
public:
    recvmmsg_engine(udp_sockets& sockets, std::size_t reader);

    void serve(packet_taker& to) override;
    std::uint64_t dropped() override;
    std::string advice() const override { return d_sockets.buffer_advice(); }

private:
    using clock = std::chrono::steady_clock;
    void receive(const udp_sockets::one_socket& s, packet_taker& to);
    void let_gather();

    const udp_sockets& d_sockets;
    const std::size_t d_reader;
    std::vector<const udp_sockets::one_socket*> d_own; // that this reader reads
    std::vector<std::uint8_t> d_memory;
    std::size_t d_messages; // that are read with one call
    // Of each socket: its counter, as it was last, and what it counted in all.
    std::vector<std::uint32_t> d_drops_read;
    std::uint64_t d_dropped = 0;
    std::size_t d_bytes = 0;  // that the last call has handed on
    bool d_all = true;        // whether no more were waiting
    clock::time_point d_read; // when the sockets were read last
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECVMMSG_ENGINE_H */
