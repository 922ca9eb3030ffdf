/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H
#define INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H

#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace gr::fringe::io {

//! Throws std::invalid_argument: what was given as an address, and why it cannot be one.
[[noreturn]] void refuse_address(const std::string& address, const std::string& why);

//! A computer's address: of IPv6, or of IPv4 as IPv6 maps it.
using host_address = std::array<std::uint8_t, 16>;
host_address host_of(const sockaddr* name);
host_address host_of(std::uint32_t ipv4);

//! An address and a port, as the system's calls take them.
struct socket_name {
    sockaddr_storage storage{};

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr_in& v4() { return reinterpret_cast<sockaddr_in&>(storage); }
    const sockaddr_in& v4() const
    {
        return reinterpret_cast<const sockaddr_in&>(storage);
    }
    sockaddr_in6& v6() { return reinterpret_cast<sockaddr_in6&>(storage); }
    const sockaddr_in6& v6() const
    {
        return reinterpret_cast<const sockaddr_in6&>(storage);
    }
    bool is_v6() const { return storage.ss_family == AF_INET6; }
    socklen_t size() const
    {
        return is_v6() ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    }
    unsigned port() const { return ntohs(is_v6() ? v6().sin6_port : v4().sin_port); }
    bool is_multicast() const;
    //! Whether the address means something on one link only, which has to be named.
    bool is_of_link() const;
};

//! The address of a host, with port 0; `address` is what the sentence names when there is
//! none of that name. Throws std::invalid_argument.
socket_name resolve_host(const std::string& address, const std::string& host);

//! Reads "host:port", where an IPv6 address stands in brackets. Throws
//! std::invalid_argument.
socket_name parse_address(const std::string& address);

//! What a socket is bound to.
socket_name bound_name(int fd);

//! An interface for multicast, by its name or address; "" = the system chooses. Throws
//! std::invalid_argument with the address that it is for.
ip_mreqn multicast_interface(const std::string& address, const std::string& interface);

//! The number that the system gives an interface, by its name or address; 0 for "". Throws
//! std::invalid_argument with the address that it is for.
unsigned interface_index(const std::string& address, const std::string& interface);

//! The IPv4 addresses of this computer, in network order.
std::vector<std::uint32_t> addresses_here();

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H */
