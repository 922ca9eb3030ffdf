/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/group_aligner.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <vector>

using gr::fringe::io::group_aligner;

namespace {

constexpr double rate = 1.28e6;
constexpr double step = 1e-3; // s between two looks at the connections

//! Receivers as they are seen: what they sent, by a 16-bit counter, comes late at times.
class receivers
{
public:
    //! Groups that receiver k has made so far, by the time of which what it sends has come:
    //! never less than before.
    using arrival = std::function<double(std::size_t, double)>;
    //! The receiver leaves the group with this number out.
    using loss = std::function<bool(std::size_t, std::uint64_t)>;

    receivers(std::size_t count, arrival come, loss lost)
        : d_aligner(count, rate, 0.5), d_come(std::move(come)), d_lost(std::move(lost))
    {
        for (std::size_t k = 0; k < count; ++k) {
            d_receivers.push_back({});
            d_aligner.connected(k);
        }
    }

    void run(double seconds)
    {
        for (const double end = d_now + seconds; d_now < end; d_now += step) {
            for (std::size_t k = 0; k < d_receivers.size(); ++k) {
                receive(k);
            }
            for (std::size_t k = 0; k < d_receivers.size(); ++k) {
                if (const auto turns = d_aligner.turns(k, d_now)) {
                    d_receivers[k].head +=
                        static_cast<std::uint64_t>(*turns * group_aligner::turn);
                    d_found.push_back(*turns);
                }
            }
        }
    }

    //! Groups that receiver k is beside where it should be.
    std::int64_t beside(std::size_t k) const
    {
        return static_cast<std::int64_t>(d_receivers[k].head - d_receivers[k].newest - 1);
    }
    bool holds(std::size_t k) const { return d_aligner.holds(k); }
    //! Turns that were found, but for 0.
    std::vector<std::int64_t> found() const
    {
        std::vector<std::int64_t> some;
        std::copy_if(d_found.begin(),
                     d_found.end(),
                     std::back_inserter(some),
                     [](std::int64_t n) { return n != 0; });
        return some;
    }

private:
    struct receiver {
        std::uint64_t made = first;       // groups, sent or not
        std::uint64_t newest = first - 1; // number of the last that was sent
        std::uint64_t head = first;       // as its counter says
    };
    static constexpr std::uint64_t first = 1 << 20;

    void receive(std::size_t k)
    {
        receiver& r = d_receivers[k];
        // Before the start it is negative.
        const auto come = static_cast<std::int64_t>(d_come(k, d_now) * rate);
        const auto until = first + static_cast<std::uint64_t>(come);
        bool began = false;
        for (; r.made < until; ++r.made) {
            if (d_lost(k, r.made - first)) {
                continue;
            }
            if (!began) {
                d_aligner.begin(k, d_now);
                began = true;
            }
            const auto turned = static_cast<std::uint16_t>(r.made - r.newest);
            r.head += turned == 0 ? group_aligner::turn : turned;
            r.newest = r.made;
        }
        if (began) {
            d_aligner.end(k, r.head, d_now);
        }
        d_aligner.drained(k);
    }

    group_aligner d_aligner;
    const arrival d_come;
    const loss d_lost;
    std::vector<receiver> d_receivers;
    std::vector<std::int64_t> d_found;
    double d_now = 1000;
};

// What is sent comes at once, from second 1000 on.
double in_real_time(std::size_t, double now) { return now - 1000; }

receivers::loss pause_of(std::size_t which, std::uint64_t groups)
{
    return [=](std::size_t k, std::uint64_t n) {
        return k == which && n >= 640000 && n < 640000 + groups;
    };
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pause_of_any_length_is_found_by_the_others)
{
    for (const std::size_t count : {2, 3, 5}) {
        for (const std::uint64_t groups : {0,
                                           1000,
                                           20000,
                                           60000,
                                           65535,
                                           65536,
                                           65537,
                                           70000,
                                           100000,
                                           131072,
                                           200000,
                                           1000000,
                                           5000000}) {
            for (const std::size_t which : {std::size_t(0), count - 1}) {
                receivers all(count, in_real_time, pause_of(which, groups));
                all.run(0.6 + static_cast<double>(groups) / rate);
                all.run(0.2);
                for (std::size_t k = 0; k < count; ++k) {
                    BOOST_TEST_CONTEXT(groups << " groups of " << which << ", " << k)
                    {
                        BOOST_TEST(all.beside(k) == 0);
                        BOOST_TEST(!all.holds(k));
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(one_alone_and_all_at_once_are_found_by_the_clock)
{
    for (const std::size_t count : {1, 2}) {
        for (const std::uint64_t groups : {1000, 65536, 100000, 200000, 10000000}) {
            receivers all(count, in_real_time, [=](std::size_t, std::uint64_t n) {
                return n >= 640000 && n < 640000 + groups;
            });
            all.run(0.6 + static_cast<double>(groups) / rate);
            all.run(0.5);
            for (std::size_t k = 0; k < count; ++k) {
                BOOST_TEST_CONTEXT(groups << " groups, receiver " << k)
                {
                    BOOST_TEST(all.beside(k) == 0);
                    BOOST_TEST(!all.holds(k));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_only_late_is_not_moved)
{
    const double lates[] = {0.03, 0.2, 5.0, 0.06, 1.0}, speeds[] = {1.3, 1e9, 10.0};
    const unsigned of_late = times_tried(3, 5), of_speed = times_tried(2, 3);
    for (const std::size_t count : {1, 2, 3}) {
        for (const double late : std::vector<double>(lates, lates + of_late)) {
            for (const bool all_late : {false, true}) {
                // Then all of it comes at once, or at ten times the rate, or hardly faster.
                for (const double speed :
                     std::vector<double>(speeds, speeds + of_speed)) {
                    receivers all(
                        count,
                        [=](std::size_t k, double now) {
                            const double t = now - 1000;
                            const bool its = all_late || k == 0;
                            return !its || t < 0.5 ? t
                                   : t < 0.5 + late
                                       ? 0.5
                                       : std::min(t, 0.5 + speed * (t - 0.5 - late));
                        },
                        [](std::size_t, std::uint64_t) { return false; });
                    all.run(0.5 + 5 * late);
                    all.run(1);
                    BOOST_TEST(all.found().empty());
                    for (std::size_t k = 0; k < count; ++k) {
                        BOOST_TEST(all.beside(k) == 0);
                        BOOST_TEST(!all.holds(k));
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(data_at_any_other_pace_follow_on)
{
    for (const double pace : {0.1, 0.5, 2.0, 20.0}) {
        receivers pair(
            1,
            [=](std::size_t, double now) {
                const double t = now - 1000;
                return pace * (t < 0.5 ? t : t < 1 ? 0.5 : t - 0.5);
            },
            [](std::size_t, std::uint64_t) { return false; });
        pair.run(3);
        BOOST_TEST(pair.found().empty());
        BOOST_TEST(!pair.holds(0));
    }
}

BOOST_AUTO_TEST_CASE(a_turn_that_nobody_suspected_is_found)
{
    // Its groups come without a pause, as a full line brings them: but a turn of them is lost.
    receivers all(
        3,
        [](std::size_t k, double now) {
            const double t = now - 1000, turn = group_aligner::turn / rate;
            return k != 1 || t < 0.5 ? t - (k == 1 ? turn : 0) : t;
        },
        [](std::size_t k, std::uint64_t n) {
            const auto at = static_cast<std::uint64_t>(0.45 * rate);
            return k == 1 && n >= at && n < at + group_aligner::turn;
        });
    all.run(1.5);
    BOOST_TEST(all.beside(1) == 0);
    BOOST_TEST(all.beside(0) == 0);
}
