/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Which item a thread takes next.
#include "kernels/cores/item_queues.h"
#include <boost/test/unit_test.hpp>
#include <initializer_list>

using namespace gr::fringe::kernels;
using work_of = item_queues::work_of;

namespace {

constexpr unsigned nobody = item_work::nobody;

work_of item(std::uint64_t number,
             unsigned line = nobody,
             const std::shared_ptr<lent_ring>& ring = nullptr,
             const item_order& when = {})
{
    auto w = std::make_shared<item_work>();
    w->number = number;
    w->line = line;
    w->began_in = ring;
    w->todo.push_back({number, nullptr, nullptr, nullptr, nullptr, when});
    return w;
}

//! The numbers of the items a thread takes, one after the other.
std::vector<std::uint64_t> taken(item_queues& from, unsigned line, bool ahead = false)
{
    std::vector<std::uint64_t> numbers;
    while (const work_of w = from.next(line, ahead)) {
        numbers.push_back(from.take(w, line).number);
        BOOST_TEST(w->line == line);
        BOOST_TEST(w->under_way);
    }
    return numbers;
}

item_queues queues(unsigned lines, std::initializer_list<work_of> items)
{
    item_queues all(lines);
    for (const auto& w : items) {
        all.put(w);
    }
    return all;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

BOOST_AUTO_TEST_CASE(a_thread_takes_its_own_then_new_ones_then_anothers)
{
    item_queues all =
        queues(3, {item(9), item(7, 1), item(2, 2), item(8, 1), item(1, 0), item(5)});
    BOOST_TEST(all.any_new());
    BOOST_TEST(taken(all, 1) == (numbers{7, 8, 5, 9, 2, 1}),
               boost::test_tools::per_element());
    BOOST_TEST(!all.any_new());
}

BOOST_AUTO_TEST_CASE(of_new_items_about_as_old_a_thread_takes_its_own)
{
    const auto fresh = [] { return queues(2, {item(4), item(5), item(6), item(7)}); };
    item_queues even = fresh(), odd = fresh();
    BOOST_TEST(taken(even, 0) == (numbers{4, 6, 5, 7}), boost::test_tools::per_element());
    BOOST_TEST(taken(odd, 1) == (numbers{5, 4, 7, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_comes_after_something_is_left_until_that_is_done)
{
    item_sequence one;
    const auto number = [&](std::uint64_t n) { return item_order{{&one, n}, {}}; };
    item_queues all = queues(1,
                             {item(0, 0, nullptr, number(1)),
                              item(1, 0, nullptr, number(0)),
                              item(2, nobody, nullptr, {{}, {&one, 2}})});
    BOOST_TEST(taken(all, 0) == (numbers{1}), boost::test_tools::per_element());
    one.done = 1;
    BOOST_TEST(taken(all, 0) == (numbers{0}), boost::test_tools::per_element());
    one.done = 2;
    BOOST_TEST(taken(all, 0) == (numbers{2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(items_of_a_lent_ring_are_not_begun_far_ahead)
{
    const auto slow = std::make_shared<lent_ring>(),
               other = std::make_shared<lent_ring>();
    slow->items = 7;
    other->items = 3;
    const auto fresh = [&] {
        return queues(
            2,
            {item(0, nobody, slow), item(1, nobody, other), item(2), item(3, 1, slow)});
    };
    item_queues all = fresh();
    BOOST_TEST(taken(all, 0) == (numbers{0, 1, 2, 3}), boost::test_tools::per_element());
    slow->items = 8; // four a thread
    all = fresh();
    // What was begun goes on, and so does who has nothing to do with that ring.
    BOOST_TEST(taken(all, 0) == (numbers{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(taken(all, 0, true) == (numbers{0}), boost::test_tools::per_element());
}
