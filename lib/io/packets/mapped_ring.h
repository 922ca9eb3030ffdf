/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MAPPED_RING_H
#define INCLUDED_FRINGE_IO_MAPPED_RING_H

#include <cstddef>
#include <cstdint>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <optional>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * A ring of blocks of frames, in memory that the kernel and this program share (AF_PACKET,
 * TPACKET_V3). The kernel fills a block with frames, and hands it over when it is full or
 * some milliseconds old. Fragments of IP are put together before (PACKET_FANOUT).
 */
class mapped_ring
{
public:
    //! Frames that pass the filter, of an interface by its index, 0 = all. `address` is what
    //! a refusal names; throws std::invalid_argument. With a `group`, the ring gets a part of
    //! the frames that the other rings of that group pass.
    mapped_ring(const std::string& address,
                const std::vector<sock_filter>& filter,
                unsigned interface,
                std::size_t bytes,
                std::optional<std::uint16_t> group = std::nullopt);
    ~mapped_ring();
    mapped_ring(const mapped_ring&) = delete;
    mapped_ring& operator=(const mapped_ring&) = delete;

    int fd() const { return d_fd; }
    //! The number of its group, which it is the first of if none was given.
    std::uint16_t group() const;
    //! The oldest block that was handed over, or null.
    tpacket_block_desc* filled() const;
    //! Gives that block back to the kernel.
    void release();
    //! Frames that found no room, so far.
    std::uint64_t dropped();

private:
    void open(const std::vector<sock_filter>& filter,
              unsigned interface,
              std::optional<std::uint16_t> group);
    void map(std::size_t bytes);
    void join_group(std::optional<std::uint16_t> group);
    [[noreturn]] void refuse(const std::string& what) const;
    void shut();
    tpacket_block_desc* block() const;

    const std::string d_address;
    int d_fd = -1;
    std::uint8_t* d_memory = nullptr;
    std::size_t d_block_bytes = 0, d_blocks = 0, d_next = 0;
    std::uint64_t d_dropped = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MAPPED_RING_H */
