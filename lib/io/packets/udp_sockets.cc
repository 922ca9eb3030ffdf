/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/udp_sockets.h"
#include "io/packets/packet_filter.h"
#include "io/packets/socket_address.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// Sockets that share a port get packets at random. Without this they would get those of a
// sender each, and one sender may be too many for a thread. Where the system refuses, the
// sender's address and port decide.
void divide(int fd, std::size_t sockets)
{
    const auto program = one_at_random(static_cast<std::uint32_t>(sockets));
    const sock_fprog all{static_cast<unsigned short>(program.size()),
                         const_cast<sock_filter*>(program.data())};
    setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &all, sizeof(all));
}

} // namespace

udp_sockets::udp_sockets(const udp_settings& settings) : d_settings(settings)
{
    if (settings.addresses.empty()) {
        refuse_address("addresses", "none given; name host:port, as in 127.0.0.1:7148");
    }
    for (const std::string& sender : settings.senders) {
        d_senders.insert(host_of(resolve_host(sender, sender).get()));
    }
    try {
        for (const std::string& address : settings.addresses) {
            open_all(address);
        }
    } catch (...) {
        for (const one_socket& s : d_sockets) {
            close(s.fd);
        }
        throw;
    }
}

udp_sockets::~udp_sockets()
{
    for (const one_socket& s : d_sockets) {
        close(s.fd);
    }
}

// The first socket of an address finds out whether the port is free, for which it must not
// share it, and the others share it then.
void udp_sockets::open_all(const std::string& address)
{
    const bool divided = d_settings.threads > 1 && d_settings.engine != "packet_ring" &&
                         !parse_address(address).is_multicast();
    unsigned port = 0;
    for (std::size_t reader = 0; reader < (divided ? d_settings.threads : 1); ++reader) {
        d_sockets.emplace_back();
        one_socket& s = d_sockets.back();
        s.address = address;
        s.reader = divided ? reader : all_readers;
        open(s, port);
        port = bound_name(s.fd).port();
    }
    if (divided) {
        divide(d_sockets.back().fd, d_settings.threads);
    }
}

void udp_sockets::share_port(const one_socket& s) const
{
    const int yes = 1;
    if (setsockopt(s.fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) != 0) {
        refuse_address(s.address,
                       std::string("cannot be divided among threads (SO_REUSEPORT): ") +
                           std::strerror(errno));
    }
}

// On a port, or where none is given on that of the address.
void udp_sockets::open(one_socket& s, unsigned port)
{
    socket_name name = parse_address(s.address);
    if (port != 0) {
        (name.is_v6() ? name.v6().sin6_port : name.v4().sin_port) =
            htons(static_cast<std::uint16_t>(port));
    }
    s.multicast = name.is_multicast();
    s.fd = socket(
        name.is_v6() ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s.fd < 0) {
        refuse_address(s.address,
                       std::string("no socket can be made: ") + std::strerror(errno));
    }
    const int yes = 1;
    if (s.multicast) { // Several programs may receive a group.
        setsockopt(s.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    }
    if (name.is_v6()) { // A socket of IPv4 may have the same port.
        setsockopt(s.fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
    }
    if (name.is_of_link() && name.v6().sin6_scope_id == 0) {
        name.v6().sin6_scope_id = interface_index(s.address, d_settings.interface);
    }
    ask_for_buffer(s);
    if (s.reader != all_readers && s.reader > 0) {
        share_port(s);
    }
    if (bind(s.fd, name.get(), name.size()) != 0) {
        const std::string why = std::strerror(errno);
        refuse_address(
            s.address,
            "cannot be received on: " + why +
                (errno == EADDRNOTAVAIL
                     ? "; it must be an address of this computer (ip address lists "
                       "them), or a multicast group"
                     : ""));
    }
    if (s.reader == 0) {
        share_port(s);
    }
    if (s.multicast) {
        join(s, name);
    }
}

void udp_sockets::ask_for_buffer(one_socket& s)
{
    const int bytes = static_cast<int>(d_settings.buffer_bytes);
    if (setsockopt(s.fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0) {
        setsockopt(s.fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    }
    int granted = 0;
    socklen_t size = sizeof(granted);
    getsockopt(s.fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
    s.buffer = static_cast<std::size_t>(granted) / 2; // Linux says twice as much.
}

void udp_sockets::join(one_socket& s, const socket_name& group)
{
    const std::string& on = d_settings.interface;
    int done = 0;
    if (group.is_v6()) {
        ipv6_mreq request{group.v6().sin6_addr, group.v6().sin6_scope_id};
        if (!on.empty()) {
            request.ipv6mr_interface = interface_index(s.address, on);
        }
        done = setsockopt(s.fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof(request));
    } else {
        ip_mreqn request = multicast_interface(s.address, on);
        request.imr_multiaddr = group.v4().sin_addr;
        done = setsockopt(s.fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof(request));
    }
    if (done != 0) {
        refuse_address(
            s.address,
            std::string("the multicast group cannot be joined") +
                (on.empty() ? "" : " on " + on) + ": " + std::strerror(errno) +
                (on.empty() ? "; name the interface that it comes in by" : ""));
    }
}

std::size_t udp_sockets::smallest_buffer() const
{
    std::size_t bytes = d_settings.buffer_bytes;
    for (const one_socket& s : d_sockets) {
        bytes = std::min(bytes, s.buffer);
    }
    return bytes;
}

std::vector<unsigned> udp_sockets::ports() const
{
    std::vector<unsigned> list;
    for (const one_socket& s : d_sockets) {
        if (s.is_first()) {
            list.push_back(bound_name(s.fd).port());
        }
    }
    return list;
}

std::string udp_sockets::buffer_advice() const
{
    for (const one_socket& s : d_sockets) {
        if (s.buffer < d_settings.buffer_bytes) {
            return "the system grants a receive buffer of " +
                   std::to_string(s.buffer >> 10) + " KiB instead of " +
                   std::to_string(d_settings.buffer_bytes >> 10) +
                   " KiB, and packets get lost when they come fast; the administrator "
                   "mends it with: sysctl -w net.core.rmem_max=" +
                   std::to_string(d_settings.buffer_bytes);
        }
    }
    return "";
}

std::string udp_sockets::names() const
{
    std::string all;
    for (const one_socket& s : d_sockets) {
        if (!s.is_first()) {
            continue;
        }
        all += (all.empty() ? "" : ", ") + s.address.substr(0, s.address.rfind(':')) +
               ":" + std::to_string(bound_name(s.fd).port());
        if (s.multicast) {
            all += " (multicast group on " +
                   (d_settings.interface.empty() ? "the interface that the system chooses"
                                                 : d_settings.interface) +
                   ")";
        }
    }
    return all;
}

bool udp_sockets::multicast() const
{
    for (const one_socket& s : d_sockets) {
        if (s.multicast) {
            return true;
        }
    }
    return false;
}

} // namespace gr::fringe::io
