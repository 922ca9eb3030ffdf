/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/udp_sockets.h"
#include "io/packets/socket_address.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr int patience_ms = 100;
constexpr std::size_t messages = 64;
constexpr std::size_t message_bytes = 65536;
constexpr std::size_t control_bytes = 64;

// Bytes of each packet of several that the kernel has joined; 0 = it is one.
std::size_t segment_bytes(msghdr& message)
{
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
            int bytes = 0;
            std::memcpy(&bytes, CMSG_DATA(c), sizeof(bytes));
            return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
        }
    }
    return 0;
}

} // namespace

udp_sockets::udp_sockets(const udp_settings& settings)
    : d_settings(settings), d_memory(messages * message_bytes)
{
    if (settings.addresses.empty()) {
        refuse_address("addresses", "none given; name host:port, as in 127.0.0.1:7148");
    }
    for (const std::string& sender : settings.senders) {
        d_senders.insert(resolve_host(sender, sender));
    }
    d_sockets.resize(settings.addresses.size());
    try {
        for (std::size_t k = 0; k < d_sockets.size(); ++k) {
            d_sockets[k].address = settings.addresses[k];
            open(d_sockets[k]);
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

void udp_sockets::open(one_socket& s)
{
    sockaddr_in name = parse_address(s.address);
    s.multicast = is_multicast(name);
    s.fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s.fd < 0) {
        refuse_address(s.address,
                       std::string("no socket can be made: ") + std::strerror(errno));
    }
    const int yes = 1;
    if (s.multicast) { // Several programs may receive a group.
        setsockopt(s.fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    }
    ask_for_buffer(s);
    setsockopt(s.fd, SOL_UDP, UDP_GRO, &yes, sizeof(yes)); // Older kernels have none.
    if (bind(s.fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
        const std::string why = std::strerror(errno);
        refuse_address(
            s.address,
            "cannot be received on: " + why +
                (errno == EADDRNOTAVAIL
                     ? "; it must be an address of this computer (ip address lists "
                       "them), or a multicast group"
                     : ""));
    }
    if (s.multicast) {
        join(s, name.sin_addr.s_addr);
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

void udp_sockets::join(one_socket& s, std::uint32_t group)
{
    const std::string& on = d_settings.interface;
    ip_mreqn request = multicast_interface(s.address, on);
    request.imr_multiaddr.s_addr = group;
    if (setsockopt(s.fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof(request)) != 0) {
        refuse_address(
            s.address,
            std::string("the multicast group cannot be joined") +
                (on.empty() ? "" : " on " + on) + ": " + std::strerror(errno) +
                (on.empty() ? "; name the interface that it comes in by" : ""));
    }
}

bool udp_sockets::wanted(std::uint32_t sender) const
{
    return d_senders.empty() || d_senders.count(sender) > 0;
}

void udp_sockets::receive(one_socket& s, const sink& to, served& all)
{
    mmsghdr headers[messages];
    iovec pieces[messages];
    sockaddr_in names[messages];
    alignas(cmsghdr) std::uint8_t control[messages][control_bytes];
    for (std::size_t k = 0; k < messages; ++k) {
        pieces[k] = {d_memory.data() + k * message_bytes, message_bytes};
        headers[k] = {};
        headers[k].msg_hdr.msg_iov = &pieces[k];
        headers[k].msg_hdr.msg_iovlen = 1;
        headers[k].msg_hdr.msg_name = &names[k];
        headers[k].msg_hdr.msg_namelen = sizeof(names[k]);
        headers[k].msg_hdr.msg_control = control[k];
        headers[k].msg_hdr.msg_controllen = control_bytes;
    }
    const int came = recvmmsg(s.fd, headers, messages, MSG_DONTWAIT, nullptr);
    all.all = all.all && came < static_cast<int>(messages);
    for (int k = 0; k < came; ++k) {
        msghdr& message = headers[k].msg_hdr;
        const std::size_t size = headers[k].msg_len;
        const std::size_t step = segment_bytes(message);
        const bool cut = (message.msg_flags & MSG_TRUNC) != 0;
        const bool taken = wanted(names[k].sin_addr.s_addr);
        const auto* at = static_cast<const std::uint8_t*>(pieces[k].iov_base);
        std::size_t from = 0;
        do { // A packet may be empty.
            const std::size_t bytes =
                step > 0 ? std::min(step, size - from) : size - from;
            to(taken && !cut ? at + from : nullptr, cut ? 0 : bytes);
            from += bytes;
            ++all.packets;
        } while (from < size);
        all.bytes += size;
    }
}

udp_sockets::served udp_sockets::serve(const sink& to)
{
    served all;
    std::vector<pollfd> fds;
    for (const one_socket& s : d_sockets) {
        fds.push_back({s.fd, POLLIN, 0});
    }
    if (poll(fds.data(), fds.size(), patience_ms) <= 0) {
        return all;
    }
    for (std::size_t k = 0; k < fds.size(); ++k) {
        if (fds[k].revents != 0) {
            receive(d_sockets[k], to, all);
        }
    }
    return all;
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
        sockaddr_in name{};
        socklen_t size = sizeof(name);
        getsockname(s.fd, reinterpret_cast<sockaddr*>(&name), &size);
        list.push_back(ntohs(name.sin_port));
    }
    return list;
}

// The counter that SO_RXQ_OVFL sends along with packets; asked for, it is also right when
// no more packets come.
std::uint64_t udp_sockets::dropped()
{
    std::uint64_t all = 0;
    for (one_socket& s : d_sockets) {
        std::uint32_t info[SK_MEMINFO_VARS] = {};
        socklen_t size = sizeof(info);
        if (getsockopt(s.fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 &&
            size > SK_MEMINFO_DROPS * sizeof(info[0])) {
            s.dropped +=
                static_cast<std::uint32_t>(info[SK_MEMINFO_DROPS] - s.drops_read);
            s.drops_read = info[SK_MEMINFO_DROPS];
        }
        all += s.dropped;
    }
    return all;
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
    const std::vector<unsigned> numbers = ports();
    std::string all;
    for (std::size_t k = 0; k < d_sockets.size(); ++k) {
        const one_socket& s = d_sockets[k];
        all += (k == 0 ? "" : ", ") + s.address.substr(0, s.address.rfind(':')) + ":" +
               std::to_string(numbers[k]);
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

} // namespace io
} // namespace fringe
} // namespace gr
