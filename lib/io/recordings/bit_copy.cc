/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/bit_copy.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

namespace {

// Bits first ... first + count - 1 of a byte.
unsigned mask(std::size_t first, std::size_t count, bit_order order)
{
    const unsigned ones = (1u << count) - 1;
    return order == bit_order::low_first ? ones << first : ones << (8 - count - first);
}

// The eight bits from bit `bit` on, of which the first `count` are wanted; a byte that
// holds none of those is not read.
unsigned
eight_bits(const std::uint8_t* from, std::size_t bit, std::size_t count, bit_order order)
{
    from += bit / 8;
    bit %= 8;
    const unsigned next = bit + count > 8 ? from[1] : 0;
    return order == bit_order::low_first ? (from[0] | next << 8) >> bit & 0xff
                                         : (from[0] << 8 | next) >> (8 - bit) & 0xff;
}

// Puts the first `count` bits of a word into a byte, from its bit `bit` on.
void put_bits(
    std::uint8_t& to, std::size_t bit, unsigned word, std::size_t count, bit_order order)
{
    const unsigned where = mask(bit, count, order);
    const unsigned bits = order == bit_order::low_first ? word << bit : word >> bit;
    to = static_cast<std::uint8_t>((to & ~where) | (bits & where));
}

} // namespace

void copy_bits(const std::uint8_t* from,
               std::size_t from_bit,
               std::uint8_t* to,
               std::size_t to_bit,
               std::size_t count,
               bit_order order)
{
    if (count == 0)
        return;
    to += to_bit / 8;
    to_bit %= 8;
    if (to_bit != 0) {
        const std::size_t head = std::min<std::size_t>(8 - to_bit, count);
        put_bits(*to, to_bit, eight_bits(from, from_bit, head, order), head, order);
        from_bit += head;
        count -= head;
        ++to;
    }
    const std::size_t bytes = count / 8, shift = from_bit % 8;
    const std::uint8_t* in = from + from_bit / 8;
    if (shift == 0) {
        std::memcpy(to, in, bytes);
    } else if (order == bit_order::low_first) {
        for (std::size_t k = 0; k < bytes; ++k)
            to[k] = static_cast<std::uint8_t>(in[k] >> shift | in[k + 1] << (8 - shift));
    } else {
        for (std::size_t k = 0; k < bytes; ++k)
            to[k] = static_cast<std::uint8_t>(in[k] << shift | in[k + 1] >> (8 - shift));
    }
    const std::size_t tail = count % 8;
    if (tail != 0)
        put_bits(to[bytes],
                 0,
                 eight_bits(from, from_bit + 8 * bytes, tail, order),
                 tail,
                 order);
}

void clear_bits(std::uint8_t* bytes,
                std::size_t first,
                std::size_t count,
                bit_order order)
{
    if (count == 0)
        return;
    bytes += first / 8;
    first %= 8;
    if (first != 0) {
        const std::size_t head = std::min<std::size_t>(8 - first, count);
        put_bits(*bytes++, first, 0, head, order);
        count -= head;
    }
    std::memset(bytes, 0, count / 8);
    if (count % 8 != 0)
        put_bits(bytes[count / 8], 0, 0, count % 8, order);
}

} // namespace gr::fringe::io
