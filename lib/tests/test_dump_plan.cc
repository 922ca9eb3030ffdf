/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Random streams of sums, with gaps, lost spectra and new dump lengths, are planned, and
// compared with dumps that are put together from the numbers of their spectra.

#include "stages/dump_plan.h"
#include "stages/spectrum_parts.h"
#include "test_seed.h"
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937_64 random_bits(test_seed());

std::uint64_t between(std::uint64_t low, std::uint64_t high)
{
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_bits);
}

constexpr std::int64_t picos = 1000000000000;
constexpr std::size_t baselines = 3;
constexpr std::size_t longest = 10; // empty dumps, one after the other

//! Numbers of dumps and spectra in whole picoseconds.
struct picosecond_axis {
    std::int64_t start_seconds, start_picos, step;

    __extension__ typedef __int128 int128;
    //! Twice the middle of a spectrum, since 1970.
    int128 twice_middle(std::uint64_t n) const
    {
        return 2 * (static_cast<int128>(start_seconds) * picos + start_picos) +
               static_cast<int128>(2 * n + 1) * step;
    }
    epoch at(std::uint64_t n) const
    {
        const auto all = start_picos + static_cast<std::int64_t>(n) * step;
        return epoch::from_pair(static_cast<std::uint64_t>(start_seconds + all / picos),
                                0)
            .plus_samples(all % picos, 1e12);
    }
};

struct length {
    std::uint64_t from = 0;    // first spectrum that it holds for
    std::int64_t seconds = 0;  // in picoseconds, or 0
    std::uint64_t spectra = 0; // or 0
    std::uint64_t origin = 0;  // spectrum that dumps by spectra are counted from

    std::int64_t dump(const picosecond_axis& axis, std::uint64_t n) const
    {
        return spectra > 0
                   ? static_cast<std::int64_t>((n - origin) / spectra)
                   : static_cast<std::int64_t>(axis.twice_middle(n) / (2 * seconds));
    }
    double in_seconds() const { return static_cast<double>(seconds) / 1e12; }
};

struct sum {
    std::uint64_t first, count;
    std::vector<std::uint64_t> valid;
    std::size_t of; // number of its length
};

//! Sums that are cut where dumps end, and where a new length begins.
struct random_stream {
    picosecond_axis axis;
    std::vector<length> lengths;
    std::vector<sum> sums;

    random_stream()
    {
        const std::int64_t rates[] = {100, 1000, 3125, 4000, 8000, 15625, 31250};
        axis = {static_cast<std::int64_t>(between(0, 2000000000)),
                static_cast<std::int64_t>(between(0, picos / 1000 - 1)) * 1000,
                picos / rates[between(0, 6)]};
        std::uint64_t from = 0;
        for (std::size_t k = between(1, 4); k > 0; --k) {
            length l;
            l.from = l.origin = from;
            if (between(0, 1)) {
                l.spectra = between(1, 50);
            } else { // a spectrum at least
                l.seconds =
                    static_cast<std::int64_t>(between(1000, 40000)) * (axis.step / 1000);
            }
            lengths.push_back(l);
            from += between(1, 200);
        }
        cut_sums(from + 100);
    }

    void cut_sums(std::uint64_t end)
    {
        std::uint64_t n = 0;
        while (n < end) {
            if (between(0, 9) == 0) {
                n += between(1, 120); // a gap
            }
            std::size_t of = lengths.size() - 1;
            while (lengths[of].from > n) {
                --of;
            }
            length& now = lengths[of];
            if (sums.empty() || sums.back().of != of) {
                now.origin = n;
            }
            const std::uint64_t until =
                of + 1 < lengths.size() ? lengths[of + 1].from : end;
            sum s{n, 0, {}, of};
            const std::uint64_t maximum = between(1, 30);
            do {
                ++s.count;
            } while (s.count < maximum && n + s.count < until &&
                     now.dump(axis, n + s.count) == now.dump(axis, n));
            if (between(0, 2) == 0) {
                for (std::size_t b = 0; b < baselines; ++b) {
                    s.valid.push_back(between(0, s.count));
                }
            }
            n += s.count;
            sums.push_back(s);
        }
    }

    //! The dumps by definition.
    std::vector<dump_plan::dump> dumps() const
    {
        std::vector<dump_plan::dump> all;
        for (std::size_t k = 0; k < sums.size();) {
            const length& now = lengths[sums[k].of];
            std::size_t last = k;
            while (last + 1 < sums.size() && sums[last + 1].of == sums[k].of) {
                ++last;
            }
            const std::uint64_t end = sums[last].first + sums[last].count;
            std::uint64_t n = sums[k].first;
            std::size_t kept = all.size(); // up to the last dump with data
            while (n < end) {              // spectrum for spectrum, those of gaps too
                dump_plan::dump d;
                d.first = n;
                d.valid.resize(baselines);
                const std::int64_t index = now.dump(axis, n);
                while (n < end && now.dump(axis, n) == index) {
                    ++n;
                }
                d.expected = n - d.first;
                for (; k <= last && sums[k].first < n; ++k) {
                    d.received += sums[k].count;
                    for (std::size_t b = 0; b < baselines; ++b) {
                        d.valid[b] += sums[k].valid.empty()
                                          ? sums[k].count * spectrum_parts
                                          : sums[k].valid[b];
                    }
                }
                if (d.received > 0 && all.size() - kept > longest) {
                    all.resize(kept); // a long gap has no dumps
                }
                all.push_back(d);
                kept = d.received > 0 ? all.size() : kept;
            }
        }
        return all;
    }

    //! The dumps as they are planned. Tags of a start come with each sum, as an X-engine
    //! sends them, or only where there is a gap.
    std::vector<dump_plan::dump> planned() const
    {
        std::vector<dump_plan::dump> all;
        dump_plan plan(baselines, lengths[0].in_seconds(), lengths[0].spectra);
        const double rate = static_cast<double>(picos / axis.step);
        const bool every = between(0, 1);
        std::size_t of = 0;
        std::uint64_t next = 0;
        for (const sum& s : sums) {
            // A length is set some time before it counts.
            const bool counts = &s != &sums[0] && (&s)[-1].of == s.of;
            while (of < s.of ||
                   (counts && of == s.of && of + 1 < lengths.size() && !between(0, 5))) {
                ++of;
                plan.set_length(lengths[of].in_seconds(),
                                lengths[of].spectra,
                                axis.at(lengths[of].from));
            }
            if (!between(0, 5)) { // no data, tags only
                plan.begin_sum({}, 0);
                BOOST_REQUIRE(plan.begin_length() && plan.why_unfit(true).empty() &&
                              plan.begin_dump());
                plan.add_sum({});
            }
            std::optional<array::beginning> start;
            if (every || next == 0 || s.first != next) {
                start = array::beginning{axis.at(s.first), rate};
            }
            BOOST_REQUIRE_EQUAL(plan.begin_sum(start, s.count),
                                next == 0 ? 0 : s.first - next);
            next = s.first + s.count;
            while (!(plan.begin_length() && plan.begin_dump())) {
                all.push_back(plan.finished());
            }
            BOOST_REQUIRE_EQUAL(plan.why_unfit(false), "");
            plan.add_sum(s.valid);
            BOOST_REQUIRE(plan.is_last_sum(axis.at(s.first), s.count));
            BOOST_REQUIRE(!plan.is_last_sum(axis.at(s.first + 1), s.count));
            BOOST_REQUIRE(!plan.is_last_sum(axis.at(s.first), s.count + 1));
            if (plan.finish_full_dump()) {
                all.push_back(plan.finished());
            }
        }
        if (plan.finish_last_dump()) {
            all.push_back(plan.finished());
        }
        BOOST_REQUIRE(!plan.finish_last_dump());
        return all;
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(random_sums_go_into_their_dumps)
{
    for (int round = 0; round < 2000; ++round) {
        const random_stream stream;
        const auto wanted = stream.dumps(), got = stream.planned();
        // The counter of the plan begins with the first sum, which a gap may precede.
        const std::uint64_t offset = stream.sums[0].first;
        BOOST_REQUIRE_EQUAL(got.size(), wanted.size());
        for (std::size_t k = 0; k < got.size(); ++k) {
            BOOST_REQUIRE_EQUAL(got[k].first + offset, wanted[k].first);
            BOOST_REQUIRE_EQUAL(got[k].expected, wanted[k].expected);
            BOOST_REQUIRE_EQUAL(got[k].received, wanted[k].received);
            BOOST_REQUIRE(got[k].valid == wanted[k].valid);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_full_dump_is_finished_at_once)
{
    dump_plan plan(1, 0, 10);
    plan.begin_sum({}, 10);
    BOOST_REQUIRE(plan.begin_length() && plan.begin_dump());
    plan.add_sum({});
    BOOST_REQUIRE(plan.finish_full_dump());
    BOOST_CHECK_EQUAL(plan.finished().received, 10u);
    BOOST_CHECK(!plan.finish_full_dump() && !plan.finish_last_dump());
    plan.finish_empty_dump();
    BOOST_CHECK_EQUAL(plan.finished().first, 10u);
    BOOST_CHECK_EQUAL(plan.finished().expected, 0u);
    BOOST_CHECK_EQUAL(plan.finished().received, 0u);
}

BOOST_AUTO_TEST_CASE(sums_that_no_dump_has_room_for_are_told_so)
{
    dump_plan plan(1, 0, 10);
    plan.begin_sum({}, 8);
    BOOST_REQUIRE(plan.begin_length() && plan.begin_dump());
    BOOST_CHECK_EQUAL(plan.why_unfit(false), "");
    plan.add_sum({});
    plan.begin_sum({}, 8);
    BOOST_CHECK_EQUAL(plan.why_unfit(true), "");
    BOOST_CHECK_EQUAL(
        plan.why_unfit(false),
        "10 spectra: a sum of 8 spectra reaches beyond the end of a dump: give "
        "the X-engine the same integration");
    dump_plan timed(1, 2.0, 0);
    timed.begin_sum({}, 8);
    BOOST_CHECK_EQUAL(timed.why_unfit(true).substr(0, 43),
                      "2.000000 s: the sums carry no rx_rate, so n");
    timed.begin_sum(array::beginning{epoch::from_pair(99, 0), 4.0}, 8);
    BOOST_CHECK_EQUAL(timed.why_unfit(false).substr(0, 43),
                      "2.000000 s: a sum of 8 spectra (2.000000 s)");
}

BOOST_AUTO_TEST_CASE(lengths_that_make_no_sense_are_refused)
{
    BOOST_CHECK_THROW(dump_plan(1, 0, 0), std::invalid_argument);
    BOOST_CHECK_THROW(dump_plan(1, 1, 1), std::invalid_argument);
    dump_plan plan(1, 1, 0);
    BOOST_CHECK_THROW(plan.set_length(-1, 0, {}), std::invalid_argument);
    BOOST_CHECK_EQUAL(plan.seconds(), 1);
    plan.set_length(0, 7, {});
    BOOST_CHECK_EQUAL(plan.seconds(), 0);
    BOOST_CHECK_EQUAL(plan.spectra(), 7u);
}
