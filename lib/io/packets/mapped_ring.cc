/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/mapped_ring.h"
#include "io/packets/packet_filter.h"
#include "io/packets/socket_address.h"
#include "kernels/base/memory.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/if_ether.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

// A block holds a few of the largest packets that there are, of 64 KiB; there are enough
// blocks to be filled while others are read.
constexpr std::size_t min_block = std::size_t(1) << 18, max_block = std::size_t(1) << 20;
constexpr std::size_t min_blocks = 4, usual_blocks = 16;
constexpr unsigned frame_bytes = 2048; // only a unit: frames may be longer
constexpr unsigned retire_ms = 5;      // A block that is not full is handed over.

std::size_t bytes_of_block(std::size_t bytes)
{
    std::size_t block = min_block;
    while (block < max_block && block * 2 * usual_blocks <= bytes) {
        block *= 2;
    }
    return block;
}

} // namespace

mapped_ring::mapped_ring(const std::string& address,
                         const std::vector<sock_filter>& filter,
                         unsigned interface,
                         std::size_t bytes,
                         std::optional<std::uint16_t> group)
    : d_address(address),
      d_block_bytes(bytes_of_block(bytes)),
      d_blocks(std::max(bytes / d_block_bytes, min_blocks))
{
    kernels::require_memory(
        address, "rings of socket_bytes", static_cast<double>(d_blocks * d_block_bytes));
    try {
        open(filter, interface, group);
    } catch (...) {
        shut();
        throw;
    }
}

mapped_ring::~mapped_ring() { shut(); }

void mapped_ring::shut()
{
    if (d_memory) {
        munmap(d_memory, d_blocks * d_block_bytes);
    }
    if (d_fd >= 0) {
        close(d_fd);
    }
}

void mapped_ring::refuse(const std::string& what) const
{
    refuse_address(d_address,
                   "engine packet_ring: " + what + ": " + std::strerror(errno) +
                       "; engine recvmmsg does without");
}

// Of no protocol at first, so that nothing comes before the filter and the ring are there.
void mapped_ring::open(const std::vector<sock_filter>& filter,
                       unsigned interface,
                       std::optional<std::uint16_t> group)
{
    d_fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (d_fd < 0) {
        refuse("a packet socket cannot be made, which needs the right CAP_NET_RAW");
    }
    const int version = TPACKET_V3, yes = 1;
    if (setsockopt(d_fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) != 0) {
        refuse("TPACKET_V3 is not in this kernel");
    }
    // A header in front of each frame then states what was joined in it. Without this header, joined
    // packets could not be taken apart.
    if (setsockopt(d_fd, SOL_PACKET, PACKET_VNET_HDR, &yes, sizeof(yes)) != 0) {
        refuse("PACKET_VNET_HDR is not in this kernel");
    }
    if (!set_filter(d_fd, filter)) {
        refuse("the filter cannot be set");
    }
    map(d_blocks * d_block_bytes);
    sockaddr_ll name{};
    name.sll_family = AF_PACKET;
    name.sll_protocol = htons(ETH_P_IP);
    name.sll_ifindex = static_cast<int>(interface);
    if (bind(d_fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) {
        refuse("the packet socket cannot be bound");
    }
    join_group(group);
}

void mapped_ring::map(std::size_t bytes)
{
    tpacket_req3 request{};
    request.tp_block_size = static_cast<unsigned>(d_block_bytes);
    request.tp_block_nr = static_cast<unsigned>(d_blocks);
    request.tp_frame_size = frame_bytes;
    request.tp_frame_nr = static_cast<unsigned>(bytes / frame_bytes);
    request.tp_retire_blk_tov = retire_ms;
    if (setsockopt(d_fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0) {
        refuse("a ring of " + std::to_string(bytes >> 10) + " KiB cannot be made");
    }
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d_fd, 0);
    if (at == MAP_FAILED) {
        refuse("the ring cannot be mapped");
    }
    d_memory = static_cast<std::uint8_t*>(at);
}

// The sockets of a group get frames in turn. Before, the kernel puts fragments together, for
// a group of one socket, too.
void mapped_ring::join_group(std::optional<std::uint16_t> group)
{
    unsigned how = PACKET_FANOUT_LB | PACKET_FANOUT_FLAG_DEFRAG;
    how |= group ? 0 : PACKET_FANOUT_FLAG_UNIQUEID;
    const std::uint32_t request = how << 16 | group.value_or(0);
    if (setsockopt(d_fd, SOL_PACKET, PACKET_FANOUT, &request, sizeof(request)) != 0) {
        refuse("fragments of IP packets cannot be put together (PACKET_FANOUT)");
    }
}

std::uint16_t mapped_ring::group() const
{
    std::uint32_t value = 0;
    socklen_t size = sizeof(value);
    getsockopt(d_fd, SOL_PACKET, PACKET_FANOUT, &value, &size);
    return static_cast<std::uint16_t>(value & 0xffff);
}

tpacket_block_desc* mapped_ring::block() const
{
    return reinterpret_cast<tpacket_block_desc*>(d_memory + d_next * d_block_bytes);
}

tpacket_block_desc* mapped_ring::filled() const
{
    tpacket_block_desc* next = block();
    const auto status = __atomic_load_n(&next->hdr.bh1.block_status, __ATOMIC_ACQUIRE);
    return status & TP_STATUS_USER ? next : nullptr;
}

void mapped_ring::release()
{
    __atomic_store_n(&block()->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    d_next = (d_next + 1) % d_blocks;
}

// The kernel's counters begin again when they were read.
std::uint64_t mapped_ring::dropped()
{
    tpacket_stats_v3 counted{};
    socklen_t size = sizeof(counted);
    if (getsockopt(d_fd, SOL_PACKET, PACKET_STATISTICS, &counted, &size) == 0) {
        d_dropped += counted.tp_drops;
    }
    return d_dropped;
}

} // namespace gr::fringe::io
