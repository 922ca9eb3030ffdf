/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/group_buffer.h"
#include "io/live/group_follower.h"
#include "io/recordings/mwa32t_group.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <random>

using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;

// Group number n of a receiver: its samples tell the number too.
bytes group(std::uint64_t n)
{
    bytes g(mwa32t::group_bytes, 0);
    g[0] = n & 0xff;
    g[1] = n >> 8 & 0xff;
    std::memcpy(&g[2], &n, sizeof(n));
    return g;
}

std::uint64_t number_in(const std::uint8_t* samples)
{
    std::uint64_t n = 0;
    std::memcpy(&n, samples, sizeof(n));
    return n;
}

} // namespace

BOOST_AUTO_TEST_CASE(counters_are_followed_over_wraps_and_losses)
{
    std::mt19937 random(1);
    for (const double lost : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        bytes sent;
        std::vector<std::uint64_t> numbers;
        std::bernoulli_distribution gone(lost);
        for (std::uint64_t n = 70000; n < 400000; ++n) {
            if (!gone(random)) {
                const bytes g = group(n);
                sent.insert(sent.end(), g.begin(), g.end());
                numbers.push_back(n);
            }
        }
        group_follower follower;
        std::vector<std::uint64_t> got;
        const auto to = [&](std::uint64_t n, const std::uint8_t* samples) {
            BOOST_REQUIRE_EQUAL(n, number_in(samples));
            got.push_back(n);
        };
        std::uniform_int_distribution<std::size_t> piece(0, 5000);
        for (std::size_t at = 0; at < sent.size();) {
            const std::size_t size = std::min(piece(random), sent.size() - at);
            follower.feed(&sent[at], size, 60000, to);
            at += size;
        }
        follower.finish(60000, to);
        // With nearly all lost, a group may stand too far from the next to be believed.
        BOOST_TEST(got.size() + follower.unsound() == numbers.size());
        BOOST_TEST(follower.unsound() <= (lost > 0.99 ? numbers.size() / 2 : 0));
    }
}

BOOST_AUTO_TEST_CASE(the_first_group_is_near_what_is_expected)
{
    for (const std::uint64_t expected : {1000000, 1032700, 967300}) {
        group_follower follower;
        bytes two = group(1000000), more = group(1000001);
        two.insert(two.end(), more.begin(), more.end());
        std::vector<std::uint64_t> got;
        const auto to = [&](std::uint64_t n, const std::uint8_t*) { got.push_back(n); };
        follower.skip(two.data(), 10); // what is left out may end within a group
        follower.skip(two.data() + 10, 34 - 10);
        follower.feed(two.data(), two.size(), expected, to);
        follower.finish(expected, to);
        BOOST_TEST(got == (std::vector<std::uint64_t>{1000000, 1000001}));
    }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_groups_move_no_time)
{
    std::mt19937 random(2);
    bytes noise(34 * 20000);
    for (auto& b : noise) {
        b = static_cast<std::uint8_t>(random());
    }
    group_follower follower;
    std::uint64_t last = 1 << 20, count = 0;
    follower.feed(
        noise.data(), noise.size(), last, [&](std::uint64_t n, const std::uint8_t*) {
            BOOST_TEST(n + 70000 > last);
            last = n;
            ++count;
        });
    BOOST_TEST(count + follower.unsound() == 20000 - 1);
    BOOST_TEST(follower.unsound() > 18000);
}

BOOST_AUTO_TEST_CASE(receivers_are_put_in_step)
{
    constexpr std::size_t block = 10, capacity = 64;
    std::mt19937 random(3);
    group_buffer buffer(2, block, capacity);
    buffer.set_present(0, true);
    buffer.set_present(1, true);
    std::map<std::uint64_t, bool> sent[2];
    std::uint64_t next[2] = {5000, 5013}, place = 5013, blank = 0;
    const auto check_block = [&](std::size_t count) {
        bytes out(2 * block * mwa32t::sample_bytes);
        std::vector<lost_samples> lost;
        buffer.take(count, out.data(), lost);
        for (const lost_samples& l : lost) {
            blank += l.count;
        }
        for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t t = 0; t < block; ++t) {
                const auto n = number_in(&out[(k * block + t) * mwa32t::sample_bytes]);
                const bool there = t < count && sent[k].count(place + t) > 0;
                BOOST_REQUIRE_EQUAL(n, there ? place + t : 0);
            }
        }
        place += count;
    };
    for (int step = 0; step < 20000; ++step) {
        const std::size_t k = next[0] > next[1] + 20   ? 1
                              : next[1] > next[0] + 20 ? 0
                                                       : random() % 2;
        const std::uint64_t n = next[k]++;
        if (random() % 4 != 0 || n <= 5013) {
            sent[k][n] = true;
            buffer.put(k, n, &group(n)[2]);
        }
        while (buffer.ready()) {
            check_block(block);
        }
    }
    BOOST_TEST(place > 10000);
    while (buffer.rest() > 0) {
        check_block(buffer.rest());
    }
    BOOST_TEST(place == std::max(buffer.head(0), buffer.head(1)));
    BOOST_TEST(buffer.dropped(0) + buffer.dropped(1) == 0);
    BOOST_TEST((buffer.missing(0) + buffer.missing(1)) * mwa32t::streams == blank);
}
