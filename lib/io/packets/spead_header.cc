/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spead_header.h"

namespace gr::fringe::io::spead {

namespace {
constexpr std::size_t word = 8;
} // namespace

std::optional<header> open(const std::uint8_t* packet, std::size_t size)
{
    if (size < word || packet[0] != 0x53 || packet[1] != 4 || packet[2] != 2 ||
        packet[3] != 6) {
        return std::nullopt;
    }
    const std::size_t items = static_cast<std::size_t>(packet[6] << 8 | packet[7]);
    const std::size_t bytes = word * (1 + items);
    if (bytes > size) {
        return std::nullopt;
    }
    return header{items, bytes};
}

std::optional<std::uint64_t>
find(const std::uint8_t* packet, std::size_t items, unsigned id)
{
    for (std::size_t k = 1; k <= items; ++k) {
        const std::uint8_t* at = packet + word * k;
        if (((at[0] & 0x7fu) << 8 | at[1]) != id) {
            continue;
        }
        std::uint64_t v = 0;
        for (std::size_t b = 2; b < word; ++b) {
            v = v << 8 | at[b];
        }
        return v;
    }
    return std::nullopt;
}

} // namespace gr::fringe::io::spead
