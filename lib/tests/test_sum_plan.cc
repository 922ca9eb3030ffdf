/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Random streams of spectra go into sums that end where the dumps of some integrators do, and
// each spectrum by itself says which sum it belongs to.

#include "stages/sum_plan.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937_64 random_bits(test_seed());

std::uint64_t between(std::uint64_t low, std::uint64_t high)
{
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_bits);
}

constexpr std::int64_t micros = 1000000, start_seconds = 1781263240;

//! The dumps of an integrator: a number of microseconds, or of spectra from one on.
struct dumps {
    std::int64_t length = 0;
    std::uint64_t spectra = 0, origin = 0;

    //! Of spectrum n, which takes `step` microseconds.
    std::uint64_t number(std::uint64_t n, std::int64_t step) const
    {
        if (spectra > 0) {
            return (n - origin) / spectra;
        }
        const std::int64_t twice =
            2 * start_seconds * micros + static_cast<std::int64_t>(2 * n + 1) * step;
        return static_cast<std::uint64_t>(twice / (2 * length));
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(every_spectrum_goes_into_its_sum)
{
    for (int round = 0; round < 2000; ++round) {
        const std::int64_t step = 64 << between(0, 6); // microseconds that a rate has
        const double rate = static_cast<double>(micros) / static_cast<double>(step);
        const auto at = [&](std::uint64_t n) {
            return epoch::from_pair(start_seconds, 0)
                .plus_samples(static_cast<std::int64_t>(n), rate);
        };
        const std::uint64_t longest = between(1, 40), block = between(1, 20);
        sum_plan plan(longest);
        std::map<long, dumps> integrators;
        std::uint64_t next = 0, in_sum = 0;
        // The sum under way ends where it did before the integrators changed, and is not checked.
        bool unchecked = false;
        for (int item = 0; item < 60; ++item) {
            if (between(0, 9) == 0) { // an integrator comes, or goes
                const auto who = static_cast<long>(between(0, 2));
                dumps d;
                if (between(0, 1)) {
                    d.length = static_cast<std::int64_t>(between(1, 50)) * step +
                               static_cast<std::int64_t>(between(0, 3)) * step / 4;
                } else {
                    d.spectra = between(1, 50);
                }
                d.origin = next;
                const dumps& old = integrators[who];
                if (old.length != d.length || old.spectra != d.spectra) {
                    integrators[who] = d;
                    unchecked = true;
                }
                const auto from =
                    plan.cut_for(who, static_cast<double>(d.length) / micros, d.spectra);
                BOOST_REQUIRE_EQUAL(from.has_value(), item > 0);
                BOOST_REQUIRE(!from || *from == at(next));
            } else if (between(0, 9) == 0 && !integrators.empty()) {
                const long who = integrators.begin()->first;
                integrators.erase(who);
                if (between(0, 1)) {
                    plan.forget(who);
                } else {
                    std::set<long> rest;
                    for (const auto& [number, d] : integrators) {
                        rest.insert(number);
                    }
                    plan.keep(rest);
                }
                unchecked = in_sum > 0; // where it ends was known before
            }
            const std::uint64_t gap = item && !between(0, 9) ? between(1, 60) : 0;
            const std::uint64_t spectra = between(0, 3) ? block : between(0, block);
            std::optional<array::beginning> start;
            if (item == 0 || gap > 0 || between(0, 1)) {
                start = array::beginning{at(next + gap), rate};
            }
            BOOST_REQUIRE_EQUAL(plan.begin_item(start, spectra), gap > 0);
            next += gap;
            if (gap > 0) {
                in_sum = 0;
            }
            std::uint64_t done = 0;
            while (plan.in_item()) {
                BOOST_REQUIRE(plan.next_time() == at(next));
                const sum_plan::part part = plan.next(in_sum == 0);
                BOOST_REQUIRE_EQUAL(part.first, done);
                done += part.count;
                for (std::uint64_t k = 0; k < part.count; ++k, ++next) {
                    ++in_sum;
                    bool last = in_sum == longest;
                    for (const auto& [number, d] : integrators) {
                        last |= d.number(next, step) != d.number(next + 1, step);
                    }
                    if (!unchecked) {
                        BOOST_REQUIRE_EQUAL(last, k + 1 == part.count && part.ends_sum);
                    }
                }
                if (part.ends_sum) {
                    in_sum = 0;
                    unchecked = false;
                }
            }
            BOOST_REQUIRE_EQUAL(done, spectra);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_new_length_ends_the_sum_under_way)
{
    sum_plan plan(100);
    BOOST_CHECK(!plan.begin_item({}, 30));
    BOOST_CHECK(!plan.next(true).ends_sum);
    BOOST_CHECK(!plan.in_item());
    BOOST_CHECK(!plan.cut_for(1, 0, 20).has_value());
    BOOST_CHECK(!plan.begin_item({}, 30));
    const auto nothing = plan.next(false);
    BOOST_CHECK(nothing.ends_sum && nothing.count == 0);
    const auto first = plan.next(true);
    BOOST_CHECK(first.ends_sum && first.count == 20);
    BOOST_CHECK(plan.in_item());
    plan.drop_item();
    BOOST_CHECK(!plan.in_item());
}
