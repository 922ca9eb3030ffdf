/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/ip_datagram.h"
#include "kernel_cases.h"
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;

void put(bytes& to, std::size_t at, unsigned v)
{
    to[at] = static_cast<std::uint8_t>(v >> 8);
    to[at + 1] = static_cast<std::uint8_t>(v);
}

// RFC 1071, in words of 16 bits in network order.
unsigned checksum(const bytes& of)
{
    unsigned sum = 0;
    for (std::size_t k = 0; k < of.size(); ++k) {
        sum += k % 2 == 0 ? unsigned(of[k]) << 8 : of[k];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum & 0xffff;
}

// A datagram with options of IP, padded behind, as Ethernet pads short ones.
bytes datagram(const bytes& payload, std::size_t options, std::size_t padding)
{
    const std::size_t header = 20 + 4 * options, length = 8 + payload.size();
    bytes p(header + length + padding, 0x5a);
    std::fill_n(p.begin(), header + 8, std::uint8_t(0));
    p[0] = static_cast<std::uint8_t>(0x40 | header / 4);
    put(p, 2, static_cast<unsigned>(header + length));
    put(p, 4, 4711);
    put(p, 6, 0x4000); // It must not be fragmented.
    p[8] = 64;
    p[9] = 17;
    const std::uint8_t hosts[] = {10, 77, 0, 1, 239, 1, 2, 3};
    std::memcpy(p.data() + 12, hosts, sizeof(hosts));
    put(p, 10, checksum(bytes(p.begin(), p.begin() + static_cast<long>(header))));
    put(p, header, 1234);
    put(p, header + 2, 7148);
    put(p, header + 4, static_cast<unsigned>(length));
    std::copy(payload.begin(), payload.end(), p.begin() + static_cast<long>(header + 8));
    bytes summed(hosts, hosts + sizeof(hosts));
    summed.insert(summed.end(), {0, 17, p[header + 4], p[header + 5]});
    summed.insert(summed.end(),
                  p.begin() + static_cast<long>(header),
                  p.begin() + static_cast<long>(header + length));
    const unsigned sum = checksum(summed);
    put(p, header + 6, sum == 0 ? 0xffff : sum);
    return p;
}

bytes random_bytes(std::size_t count, std::mt19937_64& random)
{
    bytes all(count);
    for (std::uint8_t& b : all) {
        b = static_cast<std::uint8_t>(random());
    }
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_datagram_is_what_was_sent)
{
    std::mt19937_64& random = kernel_cases::random_engine();
    for (unsigned round = 0; round < 300; ++round) {
        const bytes payload = random_bytes(random() % 3000, random);
        const bytes p = datagram(payload, random() % 11, random() % 19);
        const auto got = read_datagram(p.data(), p.size(), false);
        BOOST_REQUIRE(got.has_value());
        BOOST_TEST(bytes(got->payload, got->payload + got->bytes) == payload);
        const std::uint8_t sender[] = {10, 77, 0, 1};
        BOOST_TEST(std::memcmp(&got->sender, sender, sizeof(sender)) == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_bit_is_found_by_the_checksums)
{
    std::mt19937_64& random = kernel_cases::random_engine();
    for (unsigned round = 0; round < 2000; ++round) {
        const std::size_t options = random() % 3, header = 20 + 4 * options;
        const bytes payload = random_bytes(1 + random() % 200, random);
        bytes p = datagram(payload, options, 0);
        const std::size_t at = random() % p.size();
        // The checksum itself could become 0, which means none, and a length says of which
        // bytes the sum is.
        if (at == 0 || (at >= header + 4 && at < header + 8)) {
            continue;
        }
        p[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        BOOST_TEST(!read_datagram(p.data(), p.size(), false).has_value());
        if (at >= header + 8) { // of the payload: the kernel's word is taken
            BOOST_TEST(read_datagram(p.data(), p.size(), true).has_value());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_checksum_that_was_left_out_is_right)
{
    bytes p = datagram(bytes(100, 7), 0, 0);
    p[26] = p[27] = 0;
    BOOST_TEST(read_datagram(p.data(), p.size(), false).has_value());
}

BOOST_AUTO_TEST_CASE(fragments_are_left_out)
{
    for (const unsigned fragment : {0x2000u, 0x0001u, 0x20b9u}) {
        bytes p = datagram(bytes(100, 7), 0, 0);
        put(p, 6, fragment);
        put(p, 10, 0);
        put(p, 10, checksum(bytes(p.begin(), p.begin() + 20)));
        BOOST_TEST(!read_datagram(p.data(), p.size(), true).has_value());
    }
}
