/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_clock.h"
#include "array/dump_cuts.h"
#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace gr::fringe;
using array::dump_clock;
using array::timeline;

BOOST_AUTO_TEST_CASE(timeline_counts_through_a_gap)
{
    timeline t;
    BOOST_CHECK(t.continues(epoch::from_pair(1000, 0.25), 100.0, 0));
    BOOST_CHECK_EQUAL(t.begin(epoch::from_pair(1000, 0.25), 100.0, 0), 0u);
    BOOST_CHECK(t.continues(epoch::from_pair(1000, 0.75), 100.0, 50));
    BOOST_CHECK(!t.continues(epoch::from_pair(1001, 0.75), 100.0, 50)); // a gap
    BOOST_CHECK(!t.continues(epoch::from_pair(999, 0), 100.0, 50));    // a clock set back
    BOOST_CHECK(!t.continues(epoch::from_pair(1000, 0.75), 99.0, 50)); // another rate
    BOOST_CHECK_EQUAL(t.at(75).iso(3), epoch::from_pair(1001, 0).iso(3));
    // 50 steps were counted, then one second (100 steps) was lost.
    BOOST_CHECK_EQUAL(t.begin(epoch::from_pair(1001, 0.75), 100.0, 50), 150u);
    BOOST_CHECK(t.at(150) == epoch::from_pair(1001, 0.75));
    BOOST_CHECK_EQUAL(t.middle(150).iso(12), epoch::from_pair(1001, 0.755).iso(12));
    // A clock set back starts a new axis and never counts twice.
    BOOST_CHECK_EQUAL(t.begin(epoch::from_pair(999, 0), 100.0, 160), 160u);
    BOOST_CHECK(t.at(160) == epoch::from_pair(999, 0));
}

// Times are rounded on their way; the steps of a gap must not depend on that.
BOOST_AUTO_TEST_CASE(half_a_step_goes_down_whatever_the_rounding)
{
    for (const double rate : {1e6 / 16, 1e6 / 12, 196e6 / 8192, 3996.09375, 1.0 / 3}) {
        for (const std::int64_t steps : {0, 1, 7, 1000, 123457}) {
            const epoch begin = epoch::from_pair(1781263240, 0.123456789);
            const epoch half = begin.plus_half_samples(2 * steps + 1, rate);
            // As a tag has it, or a billionth of a step away.
            const epoch tag = epoch::from_pair(half.seconds, half.fraction());
            for (const epoch& start : {half,
                                       tag,
                                       half.plus_samples(1, 2e9 * rate),
                                       half.plus_samples(-1, 2e9 * rate)}) {
                timeline t;
                t.begin(begin, rate, 0);
                BOOST_CHECK_EQUAL(t.begin(start, rate, 0),
                                  static_cast<std::uint64_t>(steps));
            }
            // The least that more than half of a step can be.
            timeline t;
            t.begin(begin, rate, 0);
            BOOST_CHECK_EQUAL(t.begin(half.plus_samples(1, 65536 * rate), rate, 0),
                              static_cast<std::uint64_t>(steps + 1));
        }
    }
}

BOOST_AUTO_TEST_CASE(dumps_by_spectra)
{
    timeline t;
    t.begin(epoch::from_pair(5, 0), 3.0, 0);
    dump_clock c(0, 7);
    for (std::uint64_t n = 0; n < 100; ++n) {
        BOOST_REQUIRE_EQUAL(c.index(t, n), static_cast<std::int64_t>(n / 7));
    }
    BOOST_CHECK_EQUAL(c.first(t, 3), 21u);
    c.set_length(0, 5, 21);
    BOOST_CHECK_EQUAL(c.index(t, 26), 1);
    BOOST_CHECK_EQUAL(c.first(t, 2), 31u);
}

BOOST_AUTO_TEST_CASE(dumps_by_seconds_lie_on_absolute_time)
{
    // Rates that do not divide a second, starts anywhere, decimal lengths.
    for (double rate : {3996.09375, 10416.0 + 2.0 / 3.0, 97.3, 1e6}) {
        for (double length : {0.1, 1.0, 0.0333, 5.0}) {
            timeline t;
            t.begin(epoch::from_pair(1781263240, 0.123456789), rate, 0);
            dump_clock c(length, 0);
            const std::int64_t k0 = c.index(t, 0);
            for (std::int64_t k = k0; k < k0 + 20; ++k) {
                const std::uint64_t first = c.first(t, k + 1);
                BOOST_REQUIRE_EQUAL(c.index(t, first), k + 1);
                BOOST_REQUIRE(first == 0 || c.index(t, first - 1) <= k);
            }
        }
    }
    timeline t;
    t.begin(epoch::from_pair(1781263240, 0.0), 1000.0, 0);
    dump_clock c(0.1, 0);
    BOOST_CHECK_EQUAL(c.index(t, 0), 17812632400);
    BOOST_CHECK_EQUAL(c.first(t, 17812632401), 100u);
}

BOOST_AUTO_TEST_CASE(a_center_on_a_boundary_is_on_it)
{
    // Spectra of 7.8125 us, every 128th centered on a whole millisecond; the start comes from a
    // tag, whose fraction is a double.
    const double length = 128 / 16.384e6;
    timeline t;
    t.begin(epoch::from_pair(1781301600, 0.5 + 1.5 * length), 1 / length, 0);
    dump_clock c(0.001, 0);
    for (std::int64_t k = 1; k < 100; ++k) {
        BOOST_REQUIRE_EQUAL(c.first(t, c.index(t, 0) + k), 128u * k - 2);
    }
}

BOOST_AUTO_TEST_CASE(lengths_that_make_no_sense)
{
    BOOST_CHECK_THROW(dump_clock(0, 0), std::invalid_argument);
    BOOST_CHECK_THROW(dump_clock(-1, 0), std::invalid_argument);
    BOOST_CHECK_THROW(dump_clock(1, 10), std::invalid_argument);
    BOOST_CHECK_THROW(dump_clock(1.0 / 0.0, 0), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(cuts_at_the_dumps_of_all_integrators)
{
    timeline t;
    array::dump_cuts cuts;
    BOOST_CHECK(cuts.empty());
    BOOST_CHECK_EQUAL(cuts.end(t, 5, 100), 105u);
    BOOST_CHECK(cuts.set(3, 0.5, 0, 0));
    BOOST_CHECK(!cuts.set(3, 0.5, 0, 77));          // as before: nothing is new
    BOOST_CHECK_EQUAL(cuts.end(t, 5, 100), 105u);   // no time yet
    t.begin(epoch::from_pair(1000, 0.25), 20.0, 0); // 5 spectra before the boundary
    BOOST_CHECK_EQUAL(cuts.end(t, 0, 100), 5u);
    BOOST_CHECK_EQUAL(cuts.end(t, 5, 100), 15u);
    BOOST_CHECK_EQUAL(cuts.end(t, 5, 4), 9u);
    BOOST_CHECK(cuts.set(8, 0, 7, 2)); // 2, 9, 16, ...
    BOOST_CHECK_EQUAL(cuts.end(t, 0, 100), 2u);
    BOOST_CHECK_EQUAL(cuts.end(t, 5, 100), 9u);
    BOOST_CHECK_EQUAL(cuts.end(t, 9, 100), 15u);
    BOOST_CHECK(cuts.set(3, 1.0, 0, 0));
    BOOST_CHECK_EQUAL(cuts.end(t, 9, 100), 15u);
    BOOST_CHECK_EQUAL(cuts.end(t, 23, 100), 30u);
    cuts.keep({3});
    BOOST_CHECK_EQUAL(cuts.end(t, 16, 100), 35u);
    BOOST_CHECK_THROW(cuts.set(1, 1.0, 5, 0), std::invalid_argument);
}
