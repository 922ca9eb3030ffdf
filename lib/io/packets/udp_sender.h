/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UDP_SENDER_H
#define INCLUDED_FRINGE_IO_UDP_SENDER_H

#include "io/packets/socket_address.h"
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * Sends UDP packets evenly, at a rate. The kernel gets many packets in one call, and cuts
 * them apart itself (UDP_SEGMENT) where it can.
 *
 * Nobody needs to receive the packets: a reader that comes late or goes away changes
 * nothing. What the system refuses to send (no route, say) is counted and left out.
 */
class FRINGE_API udp_sender
{
public:
    //! `interface`: of multicast, by its name or address; "" = the system's. `hops`:
    //! routers that multicast packets may pass. Throws std::invalid_argument.
    udp_sender(const std::vector<std::string>& addresses,
               const std::string& interface,
               unsigned hops);
    ~udp_sender();
    udp_sender(const udp_sender&) = delete;
    udp_sender& operator=(const udp_sender&) = delete;

    //! Bytes a second of all packets together; 0 = as fast as they come.
    void set_rate(double bytes_per_second) { d_rate = bytes_per_second; }
    //! Sends packets of one size, which lie behind each other, to an address by its number;
    //! waits as the rate says. While it waits it calls `idle` some times a second, which
    //! may throw.
    void send(std::size_t address,
              const std::uint8_t* packets,
              std::size_t count,
              std::size_t size,
              const std::function<void()>& idle);

    std::uint64_t sent() const { return d_sent; }
    //! Packets that the system refused to send.
    std::uint64_t refused() const { return d_refused; }
    //! Why it last did, "" = it never did.
    const std::string& refusal() const { return d_refusal; }

private:
    using clock = std::chrono::steady_clock;
    void wait(const std::function<void()>& idle);
    void shut();
    void open(const socket_name& to,
              const std::string& address,
              const std::string& interface,
              unsigned hops);
    int fd(const socket_name& to) const { return d_fds[to.is_v6()]; }
    bool send_joined(const socket_name& to,
                     const std::uint8_t* packets,
                     std::size_t count,
                     std::size_t size);
    void send_singly(const socket_name& to,
                     const std::uint8_t* packets,
                     std::size_t count,
                     std::size_t size);

    int d_fds[2] = {-1, -1}; // of IPv4 and IPv6
    std::vector<socket_name> d_addresses;
    double d_rate = 0;
    clock::time_point d_due{};
    bool d_joins = true; // the kernel cuts packets apart
    std::uint64_t d_sent = 0, d_refused = 0;
    std::string d_refusal;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UDP_SENDER_H */
