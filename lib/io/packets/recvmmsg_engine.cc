/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/recvmmsg_engine.h"
#include <algorithm>
#include <cstring>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

namespace gr::fringe::io {

namespace {

constexpr int patience_ms = 100;
constexpr std::size_t messages = 64, min_messages = 8;
constexpr std::size_t message_bytes = 65536;
constexpr std::size_t control_bytes = 64;
// What one call reads should still be in a core's cache when it is copied.
constexpr std::size_t usual_bytes = std::size_t(1) << 20;
// For packets to gather: a part of the socket's buffer, and times.
constexpr double max_gathered = 1.0 / 32;
constexpr std::chrono::duration<double> longest_pause{5e-4}, shortest_pause{5e-5};

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

recvmmsg_engine::recvmmsg_engine(udp_sockets& sockets, std::size_t reader)
    : d_sockets(sockets),
      d_reader(reader),
      d_memory(messages * message_bytes),
      d_messages(messages),
      d_read(clock::now())
{
    const int yes = 1;
    for (const udp_sockets::one_socket& s : d_sockets.list()) {
        if (s.is_read_by(reader)) {
            d_own.push_back(&s);
            setsockopt(
                s.fd, SOL_UDP, UDP_GRO, &yes, sizeof(yes)); // Older kernels have none.
        }
    }
    d_drops_read.resize(d_own.size());
}

void recvmmsg_engine::receive(const udp_sockets::one_socket& s, packet_taker& to)
{
    mmsghdr headers[messages];
    iovec pieces[messages];
    sockaddr_in6 names[messages]; // or of IPv4, which are shorter
    alignas(cmsghdr) std::uint8_t control[messages][control_bytes];
    for (std::size_t k = 0; k < d_messages; ++k) {
        pieces[k] = {d_memory.data() + k * message_bytes, message_bytes};
        headers[k] = {};
        headers[k].msg_hdr.msg_iov = &pieces[k];
        headers[k].msg_hdr.msg_iovlen = 1;
        headers[k].msg_hdr.msg_name = &names[k];
        headers[k].msg_hdr.msg_namelen = sizeof(names[k]);
        headers[k].msg_hdr.msg_control = control[k];
        headers[k].msg_hdr.msg_controllen = control_bytes;
    }
    const auto asked = static_cast<unsigned>(d_messages);
    const int came = recvmmsg(s.fd, headers, asked, MSG_DONTWAIT, nullptr);
    d_all = d_all && came < static_cast<int>(asked);
    std::size_t read = 0;
    for (int k = 0; k < came; ++k) {
        msghdr& message = headers[k].msg_hdr;
        const std::size_t size = headers[k].msg_len;
        const std::size_t step = segment_bytes(message);
        const bool cut = (message.msg_flags & MSG_TRUNC) != 0;
        const bool taken = d_sockets.takes(reinterpret_cast<const sockaddr*>(&names[k]));
        const auto* at = static_cast<const std::uint8_t*>(pieces[k].iov_base);
        std::size_t from = 0;
        do { // A packet may be empty.
            const std::size_t bytes =
                step > 0 ? std::min(step, size - from) : size - from;
            if (cut) {
                to.take_cut();
            } else if (taken) {
                to.take(at + from, bytes);
            } else {
                to.take_foreign();
            }
            from += bytes;
        } while (from < size);
        read += size;
    }
    to.flush();
    d_bytes += read;
    if (read > usual_bytes) {
        d_messages = std::max(d_messages / 2, min_messages);
    } else if (read < usual_bytes / 4) {
        d_messages = std::min(d_messages * 2, messages);
    }
}

// To be woken for every few packets would cost more than the packets. They wait in the
// socket's buffer instead, of which they may fill a small part, so that none is lost.
void recvmmsg_engine::let_gather()
{
    const std::chrono::duration<double> took = clock::now() - d_read;
    if (d_bytes > 0 && d_all) {
        const double may_wait =
            static_cast<double>(d_sockets.smallest_buffer()) * max_gathered;
        const std::chrono::duration<double> pause =
            std::min(longest_pause, took * (may_wait / static_cast<double>(d_bytes)));
        if (pause >= shortest_pause) {
            std::this_thread::sleep_for(pause);
        }
    }
    d_read = clock::now();
    d_bytes = 0;
    d_all = true;
}

void recvmmsg_engine::serve(packet_taker& to)
{
    let_gather();
    std::vector<pollfd> fds;
    for (const udp_sockets::one_socket* s : d_own) {
        fds.push_back({s->fd, POLLIN, 0});
    }
    if (poll(fds.data(), fds.size(), patience_ms) <= 0) {
        return;
    }
    for (std::size_t k = 0; k < fds.size(); ++k) {
        if (fds[k].revents != 0) {
            receive(*d_own[k], to);
        }
    }
}

// The counter that SO_RXQ_OVFL sends along with packets; asked for, it is also right when
// no more packets come.
std::uint64_t recvmmsg_engine::dropped()
{
    for (std::size_t k = 0; k < d_own.size(); ++k) {
        if (d_own[k]->reader != d_reader && d_reader > 0) {
            continue; // Of what all read, the first one counts.
        }
        std::uint32_t info[SK_MEMINFO_VARS] = {};
        socklen_t size = sizeof(info);
        if (getsockopt(d_own[k]->fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 &&
            size > SK_MEMINFO_DROPS * sizeof(info[0])) {
            const std::uint32_t drops = info[SK_MEMINFO_DROPS];
            d_dropped += static_cast<std::uint32_t>(drops - d_drops_read[k]);
            d_drops_read[k] = drops;
        }
    }
    return d_dropped;
}

} // namespace gr::fringe::io
