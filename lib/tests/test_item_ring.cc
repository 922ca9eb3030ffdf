/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "scratch.h"
#include "stages/item_ring.h"
#include "test_seed.h"
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

using namespace gr::fringe;

namespace {

// Every byte of an item follows from its number, so that a mixture of two is found.
std::vector<std::uint8_t> item_of(std::uint64_t number, std::size_t bytes)
{
    std::minstd_rand random(static_cast<unsigned>(number + 1));
    std::vector<std::uint8_t> item(bytes);
    std::generate(item.begin(), item.end(), [&] { return std::uint8_t(random() >> 8); });
    return item;
}

std::vector<std::uint8_t>
items_of(std::uint64_t first, std::size_t count, std::size_t bytes)
{
    std::vector<std::uint8_t> all;
    for (std::size_t k = 0; k < count; ++k) {
        const auto item = item_of(first + k, bytes);
        all.insert(all.end(), item.begin(), item.end());
    }
    return all;
}

bool is_item(const std::uint8_t* data, std::uint64_t number, std::size_t bytes)
{
    const auto right = item_of(number, bytes);
    return data && std::equal(right.begin(), right.end(), data);
}

} // namespace

BOOST_AUTO_TEST_CASE(newest_items_are_there_over_every_wrap)
{
    const scratch folder;
    std::mt19937 random(static_cast<unsigned>(test_seed()));
    for (unsigned n = 0; n < times_tried(6, 100); ++n) {
        const std::size_t bytes = 1 + random() % 5000, room = 1 + random() % 7;
        item_ring ring(bytes, room, 1 + random() % 3, n % 2 ? folder / "" : "");
        std::uint64_t next = 0;
        for (unsigned k = 0; k < 20; ++k) {
            const std::size_t count = random() % (2 * room + 1);
            ring.put(items_of(next, count, bytes).data(), count);
            next += count;
            BOOST_TEST(ring.next() == next);
            const std::uint64_t first = next > room ? next - room : 0;
            BOOST_TEST(ring.first() == first);
            for (std::uint64_t i = first; i < next; ++i) {
                const std::uint8_t* item = ring.hold(i);
                BOOST_TEST(is_item(item, i, bytes));
                ring.release(item);
            }
            BOOST_TEST(!ring.hold(next));
            BOOST_TEST((!first || !ring.hold(first - 1)));
        }
    }
}

// Items of several pieces, and several items at a time, which several threads copy.
BOOST_AUTO_TEST_CASE(large_items_are_whole)
{
    std::mt19937 random(static_cast<unsigned>(test_seed()));
    for (const std::size_t size : {std::size_t(5) << 20, std::size_t(700) << 10}) {
        const std::size_t bytes = size + random() % 100;
        item_ring ring(bytes, 9, 2);
        ring.put(items_of(0, 9, bytes).data(), 9);
        const std::uint8_t* held[] = {ring.hold(0), ring.hold(7)};
        ring.put(items_of(9, 8, bytes).data(), 8);
        BOOST_TEST(is_item(held[0], 0, bytes));
        BOOST_TEST(is_item(held[1], 7, bytes));
        for (const auto* item : held) {
            ring.release(item);
        }
        for (std::uint64_t i = 8; i < 17; ++i) {
            const std::uint8_t* item = ring.hold(i);
            BOOST_TEST(is_item(item, i, bytes));
            ring.release(item);
        }
    }
}

BOOST_AUTO_TEST_CASE(held_items_stay_and_the_stream_goes_on)
{
    constexpr std::size_t bytes = 333;
    item_ring ring(bytes, 3, 3);
    ring.put(items_of(0, 3, bytes).data(), 3);
    const std::uint8_t* held[] = {ring.hold(1), ring.hold(1), ring.hold(2)};
    BOOST_TEST(held[0] == held[1]);
    BOOST_CHECK_THROW(ring.hold(0), std::logic_error);
    for (std::uint64_t next = 3; next < 20; ++next) {
        ring.put(item_of(next, bytes).data(), 1);
        BOOST_TEST(is_item(held[0], 1, bytes));
        BOOST_TEST(is_item(held[2], 2, bytes));
    }
    BOOST_TEST(!ring.hold(1));
    for (const std::uint8_t* item : held) {
        ring.release(item);
    }
    BOOST_CHECK_THROW(ring.release(held[0]), std::logic_error);
    for (std::uint64_t next = 20; next < 30; ++next) { // their memory is used again
        const std::uint8_t* before = ring.hold(next - 1);
        ring.put(item_of(next, bytes).data(), 1);
        BOOST_TEST(is_item(before, next - 1, bytes));
        ring.release(before);
    }
}

BOOST_AUTO_TEST_CASE(readers_see_whole_items_or_none)
{
    constexpr std::size_t bytes = 20000;
    constexpr std::uint64_t items = 2000;
    constexpr unsigned readers = 3;
    item_ring ring(bytes, 4, readers);
    std::atomic<unsigned> wrong{0}, seen{0};
    std::vector<std::thread> threads;
    for (unsigned r = 0; r < readers; ++r) {
        threads.emplace_back([&] {
            for (std::uint64_t number = 0; number < items;) {
                if (!ring.wait_for(number, 1)) {
                    continue;
                }
                const std::uint8_t* item = ring.hold(number);
                if (item) {
                    wrong += !is_item(item, number, bytes);
                    ring.release(item);
                    ++seen;
                }
                number = std::max(number + 1, ring.first());
            }
        });
    }
    for (std::uint64_t number = 0; number < items; ++number) {
        ring.put(item_of(number, bytes).data(), 1);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    BOOST_TEST(wrong == 0u);
    BOOST_TEST(seen > 0u);
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_stream_that_ended)
{
    item_ring ring(8, 2, 1);
    ring.set_ended(true);
    BOOST_TEST(!ring.wait_for(0, 1e6));
    ring.set_ended(false);
    BOOST_TEST(!ring.wait_for(0, 1e-3));
    ring.put(item_of(0, 8).data(), 1);
    BOOST_TEST(ring.wait_for(0, 1e6));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused)
{
    BOOST_CHECK_THROW(item_ring(0, 1, 1), std::invalid_argument);
    BOOST_CHECK_THROW(item_ring(1, 0, 1), std::invalid_argument);
    BOOST_CHECK_THROW(item_ring(1, 1, 0), std::invalid_argument);
    BOOST_CHECK_THROW(item_ring(1 << 20, std::size_t(1) << 60, 1), std::invalid_argument);
    BOOST_CHECK_THROW(item_ring(std::size_t(1) << 42, 1 << 20, 1), std::runtime_error);
    BOOST_CHECK_THROW(item_ring(8, 2, 1, "/nowhere"), std::runtime_error);
}
