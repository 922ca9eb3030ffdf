/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/bit_copy.h"
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;

unsigned shift(std::size_t bit, bit_order order)
{
    return static_cast<unsigned>(order == bit_order::low_first ? bit % 8 : 7 - bit % 8);
}

unsigned bit_of(const bytes& b, std::size_t bit, bit_order order)
{
    return b[bit / 8] >> shift(bit, order) & 1;
}

void set_bit(bytes& b, std::size_t bit, unsigned value, bit_order order)
{
    const auto bit_set = static_cast<std::uint8_t>(1u << shift(bit, order));
    b[bit / 8] =
        static_cast<std::uint8_t>(value ? b[bit / 8] | bit_set : b[bit / 8] & ~bit_set);
}

bytes noise(std::size_t count, std::mt19937& random)
{
    bytes b(count);
    for (auto& x : b)
        x = static_cast<std::uint8_t>(random());
    return b;
}

} // namespace

// Against a loop over single bits. The source ends with its last bit's byte, so that a
// reader behind it is found by the address sanitizer.
BOOST_AUTO_TEST_CASE(bits_are_copied_from_any_place_to_any_place)
{
    std::mt19937 random(1);
    for (const auto order : {bit_order::low_first, bit_order::high_first})
        for (unsigned k = 0; k < 4000; k++) {
            const std::size_t count = random() % (k % 4 ? 40 : 2000);
            const std::size_t from = random() % 50, to = random() % 50;
            const bytes source = noise((from + count + 7) / 8, random);
            bytes got = noise((to + count + 7) / 8, random), wanted = got;
            for (std::size_t n = 0; n < count; n++)
                set_bit(wanted, to + n, bit_of(source, from + n, order), order);
            copy_bits(source.data(), from, got.data(), to, count, order);
            BOOST_REQUIRE_MESSAGE(got == wanted,
                                  count << " bits from " << from << " to " << to);
        }
}

BOOST_AUTO_TEST_CASE(bits_are_cleared_and_their_neighbors_stay)
{
    std::mt19937 random(2);
    for (const auto order : {bit_order::low_first, bit_order::high_first})
        for (unsigned k = 0; k < 2000; k++) {
            const std::size_t count = random() % 200, first = random() % 50;
            bytes got = noise((first + count + 7) / 8, random), wanted = got;
            for (std::size_t n = 0; n < count; n++)
                set_bit(wanted, first + n, 0, order);
            clear_bits(got.data(), first, count, order);
            BOOST_REQUIRE_MESSAGE(got == wanted, count << " bits from " << first);
        }
}
