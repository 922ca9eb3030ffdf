/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/udp_sender.h"
#include "io/packets/socket_address.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

namespace gr::fringe::io {

namespace {

constexpr int buffer_bytes = 8 << 20;
constexpr std::size_t max_joined = 64;          // packets that the kernel cuts apart
constexpr std::size_t max_joined_bytes = 65000; // an IP packet holds a few more
// Packets that go out together are at most so far ahead of the even rate.
constexpr std::chrono::duration<double> burst{1e-3};
constexpr std::chrono::microseconds too_short_to_sleep{100};
constexpr std::chrono::milliseconds between_idles{50};

} // namespace

udp_sender::udp_sender(const std::vector<std::string>& addresses,
                       const std::string& interface,
                       unsigned hops)
{
    if (addresses.empty()) {
        refuse_address("addresses", "none given; name host:port, as in 127.0.0.1:7148");
    }
    for (const std::string& address : addresses) {
        d_addresses.push_back(parse_address(address));
        if (d_addresses.back().port() == 0) {
            refuse_address(address, "port 0 cannot be sent to");
        }
    }
    try {
        for (std::size_t k = 0; k < addresses.size(); ++k) {
            open(d_addresses[k], addresses[k], interface, hops);
        }
    } catch (...) {
        shut();
        throw;
    }
}

udp_sender::~udp_sender() { shut(); }

void udp_sender::shut()
{
    for (const int fd : d_fds) {
        if (fd >= 0) {
            close(fd);
        }
    }
}

// The socket for addresses of that kind, which the first of them opens.
void udp_sender::open(const socket_name& to,
                      const std::string& address,
                      const std::string& interface,
                      unsigned hops)
{
    int& fd = d_fds[to.is_v6()];
    if (fd >= 0) {
        return;
    }
    const ip_mreqn on = to.is_v6() ? ip_mreqn{} : multicast_interface(address, interface);
    const int index =
        to.is_v6() ? static_cast<int>(interface_index(address, interface)) : 0;
    fd = socket(to.is_v6() ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        refuse_address(address,
                       std::string("no socket can be made: ") + std::strerror(errno));
    }
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof(buffer_bytes)) !=
        0) {
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof(buffer_bytes));
    }
    const int ttl = static_cast<int>(hops);
    int done = 0;
    if (to.is_v6()) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &ttl, sizeof(ttl));
        done =
            interface.empty()
                ? 0
                : setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index));
    } else {
        setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof(ttl));
        done = interface.empty()
                   ? 0
                   : setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &on, sizeof(on));
    }
    if (done != 0) {
        refuse_address(address, "interface " + interface + ": " + std::strerror(errno));
    }
}

// Sleeps until the next packets are due. Where the sender is behind it makes up for a burst
// at most: packets in a row overflow the buffers of readers and switches.
void udp_sender::wait(const std::function<void()>& idle)
{
    const auto latest = std::chrono::duration_cast<clock::duration>(burst);
    auto now = clock::now();
    d_due = std::max(d_due, now - latest);
    while (now < d_due) {
        if (d_due - now > too_short_to_sleep) {
            idle();
            std::this_thread::sleep_for(
                std::min<clock::duration>(d_due - now, between_idles));
        }
        now = clock::now();
    }
}

void udp_sender::send(std::size_t address,
                      const std::uint8_t* packets,
                      std::size_t count,
                      std::size_t size,
                      const std::function<void()>& idle)
{
    while (count > 0) {
        std::size_t n = std::min(
            {count, max_joined, std::max<std::size_t>(max_joined_bytes / size, 1)});
        if (d_rate > 0) {
            const double together = burst.count() * d_rate / static_cast<double>(size);
            n = std::min(n, static_cast<std::size_t>(std::max(together, 1.0)));
            wait(idle);
            d_due += std::chrono::duration_cast<clock::duration>(
                std::chrono::duration<double>(static_cast<double>(n * size) / d_rate));
        } else {
            idle();
        }
        const socket_name& to = d_addresses[address];
        if (!(d_joins && n > 1 && send_joined(to, packets, n, size))) {
            send_singly(to, packets, n, size);
        }
        packets += n * size;
        count -= n;
    }
}

// False where the kernel cannot cut these packets apart.
bool udp_sender::send_joined(const socket_name& to,
                             const std::uint8_t* packets,
                             std::size_t count,
                             std::size_t size)
{
    socket_name name = to;
    iovec piece{const_cast<std::uint8_t*>(packets), count * size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = {};
    msghdr message{};
    message.msg_name = name.get();
    message.msg_namelen = name.size();
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* segment = CMSG_FIRSTHDR(&message);
    segment->cmsg_level = SOL_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto bytes = static_cast<std::uint16_t>(size);
    std::memcpy(CMSG_DATA(segment), &bytes, sizeof(bytes));
    while (sendmsg(fd(to), &message, 0) < 0) {
        if (errno == EINTR) {
            continue;
        }
        // Packets that are larger than the network's are cut apart by IP, one by one.
        if (errno == EINVAL || errno == EMSGSIZE || errno == EIO || errno == EOPNOTSUPP ||
            errno == ENOPROTOOPT) {
            d_joins = false;
            return false;
        }
        d_refused += count;
        d_refusal = std::strerror(errno);
        return true;
    }
    d_sent += count;
    return true;
}

void udp_sender::send_singly(const socket_name& to,
                             const std::uint8_t* packets,
                             std::size_t count,
                             std::size_t size)
{
    for (std::size_t k = 0; k < count; ++k) {
        ssize_t done = -1;
        do {
            done = sendto(fd(to), packets + k * size, size, 0, to.get(), to.size());
        } while (done < 0 && errno == EINTR);
        if (done < 0) {
            ++d_refused;
            d_refusal = std::strerror(errno);
        } else {
            ++d_sent;
        }
    }
}

} // namespace gr::fringe::io
