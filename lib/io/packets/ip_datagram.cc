/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/ip_datagram.h"
#include <cstring>
#include <netinet/in.h>

namespace gr::fringe::io {

namespace {

// Offsets in the headers of IPv4 and UDP.
constexpr std::size_t min_ip = 20, udp_header = 8;
constexpr std::size_t total_length = 2, fragment = 6, protocol = 9, source = 12;
constexpr std::size_t udp_length = 4, udp_checksum = 6;
constexpr unsigned more_or_offset = 0x3fff;

unsigned two_bytes(const std::uint8_t* at) { return unsigned(at[0]) << 8 | at[1]; }

// The sum of 32-bit words as they lie in memory, of which the folded sum of 16-bit words is
// the checksum, whatever the computer's byte order.
std::uint64_t sum_of(const std::uint8_t* at, std::size_t bytes)
{
    std::uint64_t sum = 0;
    std::size_t k = 0;
    for (; k + 4 <= bytes; k += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, at + k, sizeof(word));
        sum += word;
    }
    std::uint32_t rest = 0;
    std::memcpy(&rest, at + k, bytes - k);
    return sum + rest;
}

bool is_right(std::uint64_t sum)
{
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum == 0xffff;
}

bool has_right_udp_checksum(const std::uint8_t* packet,
                            const std::uint8_t* udp,
                            std::size_t length)
{
    const std::uint8_t pseudo[4] = {
        0, IPPROTO_UDP, static_cast<std::uint8_t>(length >> 8), std::uint8_t(length)};
    return is_right(sum_of(packet + source, 8) + sum_of(pseudo, sizeof(pseudo)) +
                    sum_of(udp, length));
}

} // namespace

std::optional<ip_datagram>
read_datagram(const std::uint8_t* packet, std::size_t size, bool vouched)
{
    if (size < min_ip + udp_header || packet[0] >> 4 != 4) {
        return std::nullopt;
    }
    const std::size_t header = 4 * std::size_t(packet[0] & 15);
    const std::size_t total = two_bytes(packet + total_length);
    if (header < min_ip || total < header + udp_header || total > size ||
        packet[protocol] != IPPROTO_UDP ||
        (two_bytes(packet + fragment) & more_or_offset) != 0 ||
        !is_right(sum_of(packet, header))) {
        return std::nullopt;
    }
    const std::uint8_t* udp = packet + header;
    const std::size_t length = two_bytes(udp + udp_length);
    if (length < udp_header || length > total - header) {
        return std::nullopt;
    }
    // A sender may leave the checksum out.
    if (!vouched && two_bytes(udp + udp_checksum) != 0 &&
        !has_right_udp_checksum(packet, udp, length)) {
        return std::nullopt;
    }
    ip_datagram d{0, udp + udp_header, length - udp_header};
    std::memcpy(&d.sender, packet + source, sizeof(d.sender));
    return d;
}

} // namespace gr::fringe::io
