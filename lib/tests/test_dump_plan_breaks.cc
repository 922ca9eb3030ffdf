/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Streams whose clock goes back, whose dumps are broken off, and that have long gaps, are
// planned, and compared with dumps that are put together spectrum by spectrum.

#include "stages/dump_plan.h"
#include "test_seed.h"
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937_64 random_bits(test_seed());

std::int64_t between(std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_bits);
}

constexpr std::int64_t rate = 1000; // spectra a second

// A sum of spectra; its time in milliseconds since 1970, and its number in the stream.
struct sum {
    std::int64_t time, first, count;
    bool ended;  // dump_plan::break_before_sum()
    bool breaks; // no dump reaches across its begin
};

epoch at(std::int64_t ms)
{
    return epoch::from_pair(static_cast<std::uint64_t>(ms / 1000),
                            static_cast<double>(ms % 1000) / 1000);
}

struct random_stream {
    std::int64_t dump = between(1, 40); // spectra, which are milliseconds
    bool by_seconds = between(0, 1) != 0;
    std::vector<sum> sums;

    random_stream()
    {
        std::int64_t time = between(1000000000, 2000000000) * 1000 + between(0, 999);
        std::int64_t n = 0;
        for (int k = 0; k < 30; ++k) {
            bool back = false;
            const bool ended = between(0, 7) == 0;
            if (k > 0 && between(0, 5) == 0) {
                const std::int64_t gap = between(1, 30 * dump);
                time += gap;
                n += gap;
            } else if (k > 0 && between(0, 5) == 0) {
                time -= between(1, 100 * dump);
                back = true;
            }
            const std::int64_t maximum = between(1, 50);
            sum s{time, n, 0, ended, ended || back};
            do {
                ++s.count;
            } while (s.count < maximum && index(s, n + s.count) == index(s, n));
            time += s.count;
            n += s.count;
            sums.push_back(s);
        }
    }

    //! The dump that spectrum n belongs to, on the axis that a sum lies on.
    std::int64_t index(const sum& s, std::int64_t n) const
    {
        return (by_seconds ? s.time + n - s.first : n) / dump;
    }

    struct dump_by_hand {
        std::int64_t first, start, expected = 0, received = 0;
    };

    //! The dumps by definition: all spectra of a run between two breaks, those of gaps too.
    std::vector<dump_by_hand> dumps() const
    {
        std::vector<dump_by_hand> all;
        for (std::size_t k = 0; k < sums.size();) {
            std::size_t last = k;
            while (last + 1 < sums.size() && !sums[last + 1].breaks) {
                ++last;
            }
            const std::int64_t end = sums[last].first + sums[last].count;
            const sum axis = sums[k];
            std::vector<dump_by_hand> run;
            for (std::int64_t n = axis.first; n < end; ++n) {
                if (n == axis.first || index(axis, n) != index(axis, n - 1)) {
                    run.push_back({n, axis.time + n - axis.first});
                }
                ++run.back().expected;
                for (; k <= last && sums[k].first + sums[k].count <= n; ++k) {
                }
                run.back().received += n >= sums[k].first;
            }
            k = last + 1;
            without_long_gaps(run, all);
        }
        return all;
    }

    //! More than ten empty dumps, one after the other, are none.
    static void without_long_gaps(const std::vector<dump_by_hand>& run,
                                  std::vector<dump_by_hand>& all)
    {
        for (std::size_t k = 0; k < run.size();) {
            std::size_t empty = k;
            while (empty < run.size() && run[empty].received == 0) {
                ++empty;
            }
            if (empty - k <= 10) {
                all.insert(all.end(), run.begin() + k, run.begin() + empty);
            }
            if (empty < run.size()) {
                all.push_back(run[empty]);
            }
            k = empty + 1;
        }
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(dumps_begin_anew_where_they_have_to)
{
    for (int round = 0; round < 2000; ++round) {
        const random_stream stream;
        dump_plan plan(1,
                       stream.by_seconds ? static_cast<double>(stream.dump) / rate : 0,
                       stream.by_seconds ? 0 : static_cast<std::uint64_t>(stream.dump));
        std::vector<dump_plan::dump> got;
        std::uint64_t expected = 0, left_out = 0;
        for (const sum& s : stream.sums) {
            plan.begin_sum(array::beginning{at(s.time), rate},
                           static_cast<std::uint64_t>(s.count));
            if (s.ended) {
                plan.break_before_sum();
            }
            while (!(plan.begin_length() && plan.begin_dump())) {
                got.push_back(plan.finished());
            }
            left_out += plan.left_out();
            plan.add_sum({});
            if (plan.finish_full_dump()) {
                got.push_back(plan.finished());
            }
        }
        if (plan.finish_last_dump()) {
            got.push_back(plan.finished());
        }
        const auto wanted = stream.dumps();
        BOOST_REQUIRE_EQUAL(got.size(), wanted.size());
        for (std::size_t k = 0; k < got.size(); ++k) {
            BOOST_REQUIRE_EQUAL(got[k].first, wanted[k].first);
            BOOST_REQUIRE_EQUAL(got[k].expected, wanted[k].expected);
            BOOST_REQUIRE_EQUAL(got[k].received, wanted[k].received);
            BOOST_REQUIRE_SMALL(got[k].start.seconds_since(at(wanted[k].start)), 1e-9);
            expected += got[k].expected;
        }
        // Every spectrum of the stream is in a dump, or counted as left out.
        const sum& last = stream.sums.back();
        BOOST_REQUIRE_EQUAL(expected + left_out, last.first + last.count);
    }
}
