/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_ring.h"
#include "io/packets/ip_datagram.h"
#include "io/packets/packet_filter.h"
#include "io/packets/socket_address.h"
#include <algorithm>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace gr::fringe::io {

namespace {

constexpr int patience_ms = 100;

// struct virtio_net_hdr of the kernel, whose own header is not C++.
struct joining_header {
    std::uint8_t flags, gso_type;
    std::uint16_t hdr_len, gso_size, csum_start, csum_offset;
};
static_assert(sizeof(joining_header) == 10);
constexpr unsigned joined_udp = 5; // VIRTIO_NET_HDR_GSO_UDP_L4

std::unique_ptr<mapped_ring> ring_of(const udp_sockets::one_socket& s,
                                     const udp_settings& settings,
                                     fanout_groups& groups)
{
    const socket_name bound = bound_name(s.fd);
    if (bound.is_v6()) {
        refuse_address(s.address,
                       "engine packet_ring: receives over IPv4 only; engine recvmmsg "
                       "receives over IPv6, too");
    }
    const sockaddr_in& name = bound.v4();
    const std::uint32_t host = ntohl(name.sin_addr.s_addr);
    const bool any = host == INADDR_ANY;
    const auto addresses =
        any ? addresses_here() : std::vector<std::uint32_t>{name.sin_addr.s_addr};
    unsigned interface = 0;
    if (s.multicast) {
        interface = interface_index(s.address, settings.interface);
    } else if (host >> 24 == IN_LOOPBACKNET) { // Such an address is never another's.
        interface = interface_index(s.address, "127.0.0.1");
    }
    const auto known = groups.find(s.address);
    auto ring = std::make_unique<mapped_ring>(
        s.address,
        datagrams_to(addresses, any, ntohs(name.sin_port)),
        interface,
        settings.buffer_bytes / settings.threads,
        known == groups.end() ? std::nullopt : std::optional(known->second));
    groups[s.address] = ring->group();
    return ring;
}

} // namespace

packet_ring::packet_ring(udp_sockets& sockets, fanout_groups& groups) : d_sockets(sockets)
{
    for (const udp_sockets::one_socket& s : sockets.list()) {
        d_rings.push_back(ring_of(s, sockets.settings(), groups));
        if (!set_filter(s.fd, nothing())) {
            refuse_address(s.address, "engine packet_ring: the filter cannot be set");
        }
    }
}

void packet_ring::read_frame(const tpacket3_hdr& frame, packet_taker& to)
{
    const auto* start = reinterpret_cast<const std::uint8_t*>(&frame);
    if (frame.tp_snaplen < frame.tp_len || frame.tp_net < frame.tp_mac) {
        to.take_cut();
        return;
    }
    joining_header joined{};
    std::memcpy(&joined, start + frame.tp_mac - sizeof(joined), sizeof(joined));
    const std::size_t link = std::size_t(frame.tp_net - frame.tp_mac);
    const bool vouched =
        (frame.tp_status & (TP_STATUS_CSUM_VALID | TP_STATUS_CSUMNOTREADY)) != 0;
    if (link > frame.tp_snaplen) {
        return;
    }
    const auto datagram =
        read_datagram(start + frame.tp_net, frame.tp_snaplen - link, vouched);
    if (!datagram) { // A socket would not receive it, either, and count it so.
        ++d_wrong;
        return;
    }
    const bool taken = d_sockets.takes(datagram->sender);
    const std::size_t step = joined.gso_type == joined_udp && joined.gso_size > 0
                                 ? joined.gso_size
                                 : datagram->bytes;
    std::size_t from = 0;
    do { // A packet may be empty.
        const std::size_t bytes = std::min(step, datagram->bytes - from);
        if (taken) {
            to.take(datagram->payload + from, bytes);
        } else {
            to.take_foreign();
        }
        from += bytes;
    } while (from < datagram->bytes);
}

// Of each ring one block at most, so that none waits for another.
std::size_t packet_ring::read_blocks(packet_taker& to)
{
    std::size_t blocks = 0;
    for (const auto& ring : d_rings) {
        const tpacket_block_desc* block = ring->filled();
        if (!block) {
            continue;
        }
        ++blocks;
        const auto* at = reinterpret_cast<const std::uint8_t*>(block) +
                         block->hdr.bh1.offset_to_first_pkt;
        for (std::uint32_t k = block->hdr.bh1.num_pkts; k > 0; --k) {
            const auto* frame = reinterpret_cast<const tpacket3_hdr*>(at);
            read_frame(*frame, to);
            at += frame->tp_next_offset;
        }
        to.flush();
        ring->release();
    }
    return blocks;
}

void packet_ring::serve(packet_taker& to)
{
    if (read_blocks(to) > 0) {
        return;
    }
    std::vector<pollfd> fds;
    for (const auto& ring : d_rings) {
        fds.push_back({ring->fd(), POLLIN, 0});
    }
    if (poll(fds.data(), fds.size(), patience_ms) > 0) {
        read_blocks(to);
    }
}

std::uint64_t packet_ring::dropped()
{
    std::uint64_t all = d_wrong;
    for (const auto& ring : d_rings) {
        all += ring->dropped();
    }
    return all;
}

} // namespace gr::fringe::io
