/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H
#define INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <vector>

namespace gr {
namespace fringe {
namespace io {

//! Throws std::invalid_argument: what was given as an address, and why it cannot be one.
[[noreturn]] void refuse_address(const std::string& address, const std::string& why);

//! An IPv4 address in network order; `address` is what the sentence names when there is
//! none of that name. Throws std::invalid_argument.
std::uint32_t resolve_host(const std::string& address, const std::string& host);

//! Reads "host:port". Throws std::invalid_argument.
sockaddr_in parse_address(const std::string& address);

bool is_multicast(const sockaddr_in& name);

//! An interface for multicast, by its name or address; "" = the system chooses. Throws
//! std::invalid_argument with the address that it is for.
ip_mreqn multicast_interface(const std::string& address, const std::string& interface);

//! The number that the system gives an interface, by its name or address; 0 for "". Throws
//! std::invalid_argument with the address that it is for.
unsigned interface_index(const std::string& address, const std::string& interface);

//! The IPv4 addresses of this computer, in network order.
std::vector<std::uint32_t> addresses_here();

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_SOCKET_ADDRESS_H */
