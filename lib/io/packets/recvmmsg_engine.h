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

namespace gr {
namespace fringe {
namespace io {

/*!
 * Reads sockets, many packets a call (recvmmsg). The kernel joins packets of one sender
 * (UDP_GRO) where it can; they are handed on one by one.
 */
class FRINGE_API recvmmsg_engine : public packet_engine
{
public:
    explicit recvmmsg_engine(udp_sockets& sockets);

    void serve(const sink& to) override;
    std::uint64_t dropped() override;
    std::string advice() const override { return d_sockets.buffer_advice(); }

private:
    using clock = std::chrono::steady_clock;
    void receive(const udp_sockets::one_socket& s, const sink& to);
    void let_gather();

    udp_sockets& d_sockets;
    std::vector<std::uint8_t> d_memory;
    // Of each socket: its counter, as it was last, and what it counted in all.
    std::vector<std::uint32_t> d_drops_read;
    std::uint64_t d_dropped = 0;
    std::size_t d_bytes = 0;  // that the last call has handed on
    bool d_all = true;        // whether no more were waiting
    clock::time_point d_read; // when the sockets were read last
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_RECVMMSG_ENGINE_H */
