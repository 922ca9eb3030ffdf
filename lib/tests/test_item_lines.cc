/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Items that go through their stages on several threads.
#include "cores_kernels.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <set>

using namespace gr::fringe::kernels;
using namespace kernel_cases;

namespace {

void nap()
{
    thread_local std::minstd_rand random(
        static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id())));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
}

//! A ring whose items are but addresses.
struct ring {
    char slots[64];
    const void* operator[](std::size_t item) const { return slots + item % 64; }
};

} // namespace

//! Waits for what another thread does; not for ever.
template <class What>
bool soon(const What& happens)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!happens() && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
    }
    return happens();
}

BOOST_AUTO_TEST_CASE(the_stages_of_an_item_are_done_in_order)
{
    for (const unsigned lines : {1u, 2u, 5u}) {
        item_lines all(lines);
        item_group first, second;
        const ring raw{}, made{};
        std::vector<std::atomic<int>> stage(60);
        std::atomic<bool> right{true};
        for (std::size_t n = 0; n < 60; n++) {
            all.put(raw[n], made[n], first, [&, n](unsigned, const void*, void*) {
                nap();
                right = right && stage[n]++ == 0;
            });
            all.put(made[n], nullptr, second, [&, n](unsigned k, const void*, void*) {
                right = right && stage[n]++ == 1 && k < lines;
            });
        }
        all.wait_for(second);
        BOOST_TEST(right);
        for (const auto& s : stage) {
            BOOST_TEST(s == 2);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_item_stays_with_its_thread_while_the_others_are_busy)
{
    item_lines all(2);
    item_group work;
    const ring raw{}, made{};
    std::array<unsigned, 2> first{}, second{};
    std::atomic<unsigned> begun{0}, behind{0};
    std::atomic<bool> go{false}, in_time{true};
    for (std::size_t n = 0; n < 2; n++) {
        all.put(raw[n], made[n], work, [&, n](unsigned k, const void*, void*) {
            first[n] = k;
            begun++;
            in_time = soon([&] { return begun == 2 && go; }) && in_time;
        });
    }
    for (std::size_t n = 0; n < 2; n++) {
        all.put(made[n], nullptr, work, [&, n](unsigned k, const void*, void*) {
            second[n] = k;
            behind++;
            in_time = soon([&] { return behind == 2; }) && in_time;
        });
    }
    go = true;
    all.wait_for(work);
    BOOST_TEST(in_time);
    BOOST_TEST(first[0] != first[1]);
    BOOST_TEST((first == second));
}

BOOST_AUTO_TEST_CASE(what_a_thread_cannot_do_soon_another_does)
{
    item_lines all(2);
    item_group work;
    const ring raw{}, made{};
    std::atomic<unsigned> ready{0};
    std::atomic<bool> let_go{false}, done{false}, in_time{true};
    all.put(raw[0], nullptr, work, [&](unsigned, const void*, void*) {
        ready++;
        in_time = soon([&] { return let_go.load(); }) && in_time;
    });
    BOOST_REQUIRE(soon([&] { return ready == 1; }));
    // The one thread that is left has both items.
    for (const std::size_t n : {1, 2}) {
        all.put(raw[n], made[n], work, [&](unsigned, const void*, void*) { ready++; });
    }
    BOOST_REQUIRE(soon([&] { return ready == 3; }));
    all.put(made[1], nullptr, work, [&](unsigned, const void*, void*) {
        ready++;
        in_time = soon([&] { return done.load(); }) && in_time;
    });
    BOOST_REQUIRE(soon([&] { return ready == 4; }));
    all.put(made[2], nullptr, work, [&](unsigned, const void*, void*) { done = true; });
    let_go = true;
    all.wait_for(work);
    BOOST_TEST(in_time);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_sequence_are_done_one_after_the_other)
{
    constexpr std::size_t items = 60;
    for (const unsigned lines : {1u, 3u}) {
        item_lines all(lines);
        item_group work;
        item_sequence same, before;
        const ring raw{};
        std::vector<std::size_t> order; // guarded by nothing but the sequence
        std::atomic<std::size_t> earlier{0};
        std::atomic<bool> right{true};
        for (std::size_t n = 0; n < items; n++) {
            const bool fails = n == 20;
            all.put(raw[n],
                    nullptr,
                    work,
                    [&, fails](unsigned, const void*, void*) {
                        nap();
                        earlier++;
                        if (fails) { // it counts as done
                            throw std::runtime_error("a bad item");
                        }
                    },
                    {{&before, n}, {}});
            if (!fails) {
                all.put(raw[n],
                        nullptr,
                        work,
                        [&, n](unsigned, const void*, void*) {
                            right = right && earlier > n;
                            nap();
                            order.push_back(n);
                        },
                        {{&same, n < 20 ? n : n - 1}, {&before, n + 1}});
            }
        }
        all.wait_for(work);
        BOOST_TEST(right);
        BOOST_TEST(order.size() == items - 1);
        BOOST_TEST(std::is_sorted(order.begin(), order.end()));
    }
}

BOOST_AUTO_TEST_CASE(items_whose_next_stage_never_comes_do_not_hold_up_the_end)
{
    item_lines all(2);
    item_group work;
    const ring made{};
    all.lend(made.slots, sizeof(made.slots), 100, 1);
    std::atomic<std::size_t> done{0};
    for (std::size_t n = 0; n < 60; n++) {
        all.put(made[n], nullptr, work, [&](unsigned, const void*, void*) { done++; });
    }
    all.wait_for(made[59]);
    all.wait_for(work);
    BOOST_TEST(done == 60u);
    all.end_loan(made.slots);
}

// As a channelizer that reads the powers of a window whose spectra it sends later.
BOOST_AUTO_TEST_CASE(who_waits_for_a_stage_is_not_held_up_by_those_behind_it)
{
    constexpr std::size_t rounds = 400, items = 20;
    item_lines all(1);
    item_group first, second;
    const ring made{};
    all.lend(made.slots, sizeof(made.slots), 100, 1);
    const auto nothing = [](unsigned, const void*, void*) {};
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t round = 0; round < rounds; round++) {
        for (std::size_t n = 0; n < items; n++) {
            all.put(made[n], nullptr, first, nothing);
        }
        all.wait_for(first);
        for (std::size_t n = 0; n < items; n++) {
            all.put(made[n], nullptr, second, nothing);
            all.passed(made[n]);
        }
        all.wait_for(second);
    }
    // No thread has run out of patience, which takes it five milliseconds.
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    BOOST_TEST(took.count() < 0.0025 * rounds);
    all.end_loan(made.slots);
}

BOOST_AUTO_TEST_CASE(an_item_is_idle_when_all_that_was_put_is_done)
{
    item_lines all(2);
    item_group work;
    const ring items{};
    std::atomic<bool> go{false}, later{false};
    BOOST_TEST(all.idle(items[0]));
    all.put(items[0], items[1], work, [&](unsigned, const void*, void*) {
        while (!go) {
            std::this_thread::yield();
        }
    });
    all.put(items[1], nullptr, work, [&](unsigned, const void*, void*) {
        nap();
        later = true;
    });
    BOOST_TEST(!all.idle(items[0]));
    BOOST_TEST(!all.idle(items[1]));
    go = true;
    all.wait_for(items[1]);
    BOOST_TEST(later);
    BOOST_TEST(all.idle(items[0]));
    BOOST_TEST(all.idle(items[1]));
}

BOOST_AUTO_TEST_CASE(waiting_for_all_leaves_out_what_is_put_later)
{
    item_lines all(2);
    item_group work;
    const ring items{};
    std::atomic<bool> done{false}, go{false};
    all.put(items[0], nullptr, work, [&](unsigned, const void*, void*) {
        nap();
        done = true;
    });
    std::thread other([&] {
        all.put(items[1], nullptr, work, [&](unsigned, const void*, void*) {
            while (!go) {
                std::this_thread::yield();
            }
        });
    });
    other.join();
    // Put before the call, so it counts; what comes behind does not.
    std::thread opens([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        go = true;
    });
    all.wait_for_all();
    BOOST_TEST(done);
    BOOST_TEST(go);
    opens.join();
}

BOOST_AUTO_TEST_CASE(what_fails_is_thrown_to_those_who_wait_and_to_the_next_stage)
{
    item_lines all(3);
    item_group work;
    const ring items{};
    all.put(items[0], items[1], work, [](unsigned, const void*, void*) {
        throw std::runtime_error("a bad item");
    });
    all.put(items[2], items[3], work, [](unsigned, const void*, void*) {});
    all.wait_for(work); // the stage's end waits, whatever happened
    BOOST_CHECK_THROW(std::rethrow_exception(work.failed), std::runtime_error);
    BOOST_CHECK_THROW(all.wait_for(items[0]), std::runtime_error);
    BOOST_CHECK_THROW(all.idle(items[1]), std::runtime_error);
    BOOST_CHECK_THROW(
        all.put(items[1], nullptr, work, [](unsigned, const void*, void*) {}),
        std::runtime_error);
    all.wait_for(items[3]);
    // Another item at the same address is not to blame.
    all.forget(items[0]);
    all.put(items[0], items[1], work, [](unsigned, const void*, void*) {});
    all.wait_for(items[1]);
}

BOOST_AUTO_TEST_CASE(items_of_a_lent_ring_are_whole_until_all_have_read_them)
{
    constexpr std::size_t items = 200, values = 500, readers = 2;
    for (const unsigned lines : {1u, 3u}) {
        item_lines all(lines);
        const ring raw{}, made{};
        all.lend(made.slots, sizeof(made.slots), values * sizeof(std::size_t), readers);
        std::atomic<std::size_t> wrong{0}, read{0};
        std::array<std::atomic<std::size_t>, readers> done{};
        std::atomic<std::size_t> written{0};
        std::mutex mutex;
        std::set<const void*> memory;
        std::thread writer([&] {
            item_group work;
            for (std::size_t n = 0; n < items; n++) {
                while (n >= std::min(done[0], done[1]) + 20) { // the ring's room
                    std::this_thread::yield();
                }
                all.forget(raw[n]);
                all.put(raw[n], made[n], work, [&, n](unsigned, const void*, void* out) {
                    std::fill_n(static_cast<std::size_t*>(out), values, n);
                    std::lock_guard<std::mutex> lock(mutex);
                    memory.insert(out);
                });
                written = n + 1;
            }
            all.wait_for(work);
        });
        const auto reader = [&](std::size_t r) {
            item_group work;
            for (std::size_t n = 0; n < items; n++) {
                while (n >= written) {
                    std::this_thread::yield();
                }
                for (int again = 0; again < 2; again++) {
                    all.put(
                        made[n], nullptr, work, [&, n](unsigned, const void* in, void*) {
                            nap();
                            const auto at = static_cast<const std::size_t*>(in);
                            wrong += values - static_cast<std::size_t>(
                                                  std::count(at, at + values, n));
                            read++;
                        });
                }
                all.passed(made[n]);
                all.wait_for(made[n]);
                done[r] = n + 1;
            }
        };
        std::thread other([&] { reader(1); });
        reader(0);
        other.join();
        writer.join();
        BOOST_TEST(wrong == 0u);
        BOOST_TEST(read == 2 * readers * items);
        BOOST_TEST(memory.size() <= 20u); // what the ring has room for
        all.end_loan(made.slots);
    }
}

BOOST_AUTO_TEST_CASE(memory_is_used_again_when_the_last_reader_is_done)
{
    item_lines all(1);
    item_group work;
    const ring raw{}, made{};
    all.lend(made.slots, sizeof(made.slots), 100, 1);
    std::set<const void*> memory;
    const auto note = [&](unsigned, const void*, void* out) { memory.insert(out); };
    for (std::size_t n = 0; n < 30; n++) {
        all.put(raw[n], made[n], work, note);
        all.wait_for(made[n]);
        all.put(made[n], nullptr, work, [&](unsigned, const void* in, void*) {
            BOOST_TEST(memory.count(in) == 1u);
        });
        all.passed(made[n]);
    }
    all.wait_for(work);
    BOOST_TEST(memory.size() == 1u);
    BOOST_TEST(memory.count(made[0]) == 0u); // its address is but a name
    // The first is not read any more when the second is written: not so if it is kept.
    all.put(raw[40], made[40], work, note);
    all.put(raw[41], made[41], work, note);
    all.wait_for(work);
    BOOST_TEST(memory.size() == 2u);
    all.end_loan(made.slots);
}

BOOST_AUTO_TEST_CASE(what_failed_is_not_worked_on)
{
    item_lines all(2);
    item_group first, second;
    const ring raw{}, made{};
    all.lend(made.slots, sizeof(made.slots), 100, 1);
    std::atomic<bool> go{false};
    bool ran = false;
    all.put(raw[0], made[0], first, [&](unsigned, const void*, void*) {
        while (!go) {
            std::this_thread::yield();
        }
        throw std::runtime_error("a bad item");
    });
    all.put(made[0], nullptr, second, [&](unsigned, const void*, void*) { ran = true; });
    go = true;
    all.wait_for(second);
    BOOST_TEST(!ran);
    BOOST_CHECK_THROW(all.idle(made[0]), std::runtime_error);
    all.passed(made[0]);
    BOOST_CHECK_THROW(all.idle(made[0]), std::runtime_error); // for whoever asks next
    all.end_loan(made.slots);
    BOOST_TEST(all.idle(made[0]));
}

BOOST_AUTO_TEST_CASE(many_threads_put_and_wait)
{
    item_lines all(3);
    std::atomic<std::size_t> sum{0};
    std::vector<std::thread> blocks;
    std::vector<ring> rings(4);
    for (std::size_t b = 0; b < rings.size(); b++) {
        blocks.emplace_back([&, b] {
            item_group mine;
            for (std::size_t n = 0; n < 400; n++) {
                const void* item = rings[b][n];
                all.wait_for(item);
                all.forget(item);
                all.put(item, nullptr, mine, [&, n](unsigned, const void*, void*) {
                    sum += n;
                });
            }
            all.wait_for(mine);
        });
    }
    for (auto& b : blocks) {
        b.join();
    }
    BOOST_TEST(sum == 4u * 399 * 400 / 2);
}

BOOST_AUTO_TEST_CASE(there_is_a_line_a_core_and_all_stages_share_the_same)
{
    gr::fringe::set_threads(1);
    BOOST_TEST(shared_cores()->on_host()->lines() == 1u);
    gr::fringe::set_threads(2);
    const auto two = shared_cores();
    BOOST_REQUIRE(two);
    BOOST_TEST((two == shared_cores()));
    BOOST_TEST(two->on_host()->lines() == 2u);
    gr::fringe::set_threads(3);
    BOOST_TEST(shared_cores()->on_host()->lines() == 3u);
    gr::fringe::set_threads(0);
}

BOOST_AUTO_TEST_CASE(sums_of_the_same_number_of_cores_are_the_same_bits)
{
    const xengine_params p{7, 33, 12, component::f32};
    const auto noise = random_components(p.in, 2 * 7 * 33 * 12 * 9);
    const auto sums = [&] {
        const auto on = three_cores();
        const auto x = on->make_xengine(p);
        for (std::size_t n = 0; n < 9; n++) {
            nap();
            x->accumulate(noise.data() + n * 2 * 7 * 33 * 12 * 4, 0, 12);
        }
        on->synchronize();
        for (std::size_t n = 0; n < 9; n++) {
            on->on_host()->forget(noise.data() + n * 2 * 7 * 33 * 12 * 4);
        }
        bytes out(8 * p.channels * baselines(p.inputs), poison);
        x->read(0, p.channels, out.data());
        return out;
    };
    const auto once = sums();
    for (int again = 0; again < 5; again++) {
        BOOST_TEST((once == sums()));
    }
}

BOOST_AUTO_TEST_CASE(a_sum_of_what_failed_is_not_read)
{
    const xengine_params p{2, 4, 3, component::i8};
    const auto noise = random_components(p.in, 2 * 2 * 4 * 3);
    const auto on = three_cores();
    const auto x = on->make_xengine(p);
    bytes out(8 * p.channels * baselines(p.inputs), poison);
    {
        stage_work before({on, on->on_host()});
        before.put(noise.data(), nullptr, [](unsigned, const void*, void*) {
            nap();
            throw std::runtime_error("a bad item");
        });
        x->accumulate(noise.data(), 0, 3);
        BOOST_CHECK_THROW(x->read(0, p.channels, out.data()), std::runtime_error);
        BOOST_TEST(x->finished());
    }
    on->on_host()->forget(noise.data());
}

BOOST_AUTO_TEST_CASE(sums_may_begin_before_those_ahead_of_them_are_read)
{
    const xengine_params p{3, 21, 8, component::i8};
    const std::size_t block = 2 * 3 * 21 * 8, size = 8 * p.channels * baselines(p.inputs);
    const auto noise = random_components(p.in, 40 * block);
    const auto on = three_cores();
    const auto x = on->make_xengine(p);
    const auto plain = make_xengine(backend::generic, p);
    std::deque<bytes> expected;
    const auto read_one = [&] {
        bytes out(size, poison);
        x->read(0, p.channels, out.data());
        x->clear();
        BOOST_TEST((out == expected.front()));
        expected.pop_front();
    };
    std::size_t at = 0;
    for (int sums = 0; sums < 20; sums++) {
        for (std::size_t n = random_below(5); n > 0; n--, at++) { // may be none
            const std::size_t first = random_below(8), count = random_below(9 - first);
            const void* const item = noise.data() + at % 40 * block;
            x->accumulate(item, first, count);
            plain->accumulate(item, first, count);
        }
        expected.emplace_back(size, poison);
        plain->read(0, p.channels, expected.back().data());
        plain->clear();
        if (expected.size() == 3 || random_below(2) == 0) {
            BOOST_TEST((expected.size() < 3 || !x->begin_another()));
            read_one();
        }
        if (!expected.empty()) {
            BOOST_TEST(x->begin_another());
        }
        while (!expected.empty() && random_below(3) == 0) {
            read_one();
        }
    }
    on->synchronize();
    for (std::size_t n = 0; n < 40; n++) {
        on->on_host()->forget(noise.data() + n * block);
    }
}
