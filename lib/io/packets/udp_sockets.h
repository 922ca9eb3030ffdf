/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UDP_SOCKETS_H
#define INCLUDED_FRINGE_IO_UDP_SOCKETS_H

#include "io/packets/socket_address.h"
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <set>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! Where packets come to and what the system is asked for.
struct udp_settings {
    //! "host:port": an address of this computer, or a multicast group that is joined. Port
    //! 0 = any that is free.
    std::vector<std::string> addresses;
    std::string interface; //!< of multicast, by its name or address; "" = the system's
    std::set<std::string> senders;                    //!< addresses; empty = all
    std::size_t buffer_bytes = std::size_t(64) << 20; //!< of each socket
    std::string engine = "auto"; //!< how they are read, see make_packet_engines()
    std::size_t threads = 1;     //!< that read them
    static constexpr std::size_t max_threads = 64;
};

/*!
 * UDP sockets that packets come to; packet_engines read them.
 *
 * With several readers of sockets, every address has a socket for each of them, and the
 * system divides the packets among these sockets (SO_REUSEPORT). A multicast group has one
 * socket that all read, as the system would give each socket all packets.
 */
class FRINGE_API udp_sockets
{
public:
    //! Opens them. Throws std::invalid_argument with the address and what is wrong.
    explicit udp_sockets(const udp_settings& settings);
    ~udp_sockets();
    udp_sockets(const udp_sockets&) = delete;
    udp_sockets& operator=(const udp_sockets&) = delete;

    static constexpr std::size_t all_readers = ~std::size_t(0);
    struct one_socket {
        int fd = -1;
        std::string address;
        bool multicast = false;
        std::size_t buffer = 0;           // bytes that the system granted
        std::size_t reader = all_readers; // which thread reads it
        bool is_read_by(std::size_t socket) const
        {
            return reader == socket || reader == all_readers;
        }
        //! Whether it is the only socket of its address, or the first.
        bool is_first() const { return is_read_by(0); }
    };
    const std::vector<one_socket>& list() const { return d_sockets; }
    //! Whether packets of a sender are received: by its socket's name, or its IPv4 address
    //! in network order.
    template <class address>
    bool takes(address sender) const
    {
        return d_senders.empty() || d_senders.count(host_of(sender)) > 0;
    }
    //! The smallest receive buffer that the system has granted.
    std::size_t smallest_buffer() const;

    std::vector<unsigned> ports() const;
    //! A sentence where the system has granted smaller buffers than were asked for, with
    //! the line that mends it; otherwise "".
    std::string buffer_advice() const;
    //! "127.0.0.1:7148", "239.1.2.3:7148 (multicast on eth0)", ...
    std::string names() const;
    bool multicast() const;
    const udp_settings& settings() const { return d_settings; }

private:
    void open_all(const std::string& address);
    void open(one_socket& s, unsigned port);
    void share_port(const one_socket& s) const;
    void ask_for_buffer(one_socket& s);
    void join(one_socket& s, const socket_name& group);

    const udp_settings d_settings;
    std::vector<one_socket> d_sockets;
    std::set<host_address> d_senders;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UDP_SOCKETS_H */
