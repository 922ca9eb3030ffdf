/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_times.h"
#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

using namespace gr::fringe;
using io::preferred;
using io::recording_times;
using io::samples_between;
using io::time_settings;
using io::timed_file;

namespace {

using starts = std::vector<std::uint64_t>;
const epoch noon = epoch::from_iso("2026-06-12T12:00:00");

timed_file untimed(const std::string& path, std::uint64_t samples, double rate = 1e6)
{
    timed_file f{path, {}};
    f.info.streams = 2;
    f.info.samples = samples;
    f.info.sample_rate = rate;
    return f;
}

timed_file
file(const std::string& path, double seconds, std::uint64_t samples, double rate = 1e6)
{
    timed_file f = untimed(path, samples, rate);
    f.info.has_start_time = true;
    f.info.start_time = noon.plus_seconds(seconds);
    return f;
}

time_settings with(const starts& first, preferred p = preferred::neither)
{
    time_settings s;
    s.first = first;
    s.prefer = p;
    return s;
}

time_settings at(const epoch& start, preferred p = preferred::neither)
{
    time_settings s;
    s.has_start_time = true;
    s.start_time = start;
    s.prefer = p;
    return s;
}

} // namespace

BOOST_AUTO_TEST_CASE(offsets_are_exact_however_far_apart)
{
    std::mt19937_64 random(1);
    for (const double rate : {1.0, 44100.0, 1e6 / 3, 2.048e6, 1.28e9, 0.7, 8e9 / 7})
        for (int k = 0; k < 200; k++) {
            const auto n = static_cast<std::int64_t>(
                random() % (k % 2 ? 1000 : std::min(1ull << 58, 1ull << (34 + k % 20))));
            const epoch a = noon.plus_seconds(1e-6 * static_cast<double>(random() % 999));
            // Attoseconds are rounded, so a sample of 1e-18 s and more is enough.
            const epoch b = a.plus_samples(n, rate);
            BOOST_REQUIRE_EQUAL(samples_between(a, b, rate).samples, n);
            BOOST_REQUIRE_EQUAL(samples_between(b, a, rate).samples, -n);
            BOOST_REQUIRE_SMALL(samples_between(a, b, rate).rest, 1e-8);
            const auto off = samples_between(a, b.plus_seconds(0.3 / rate), rate);
            BOOST_REQUIRE_EQUAL(off.samples, n);
            BOOST_REQUIRE_CLOSE(off.rest, 0.3, 1e-4);
        }
    const epoch year_0{};
    BOOST_CHECK_EQUAL(samples_between(year_0, noon, 1e15).samples,
                      io::max_samples_between);
}

BOOST_AUTO_TEST_CASE(a_file_alone_is_as_it_was)
{
    const recording_times t({file("a", 0.5, 1000)}, with({300}));
    BOOST_CHECK_EQUAL(t.samples(), 700u);
    BOOST_CHECK_EQUAL(t.first(0), 300);
    BOOST_CHECK_EQUAL(t.recording_start().iso(6), "2026-06-12T12:00:00.500000");
    BOOST_CHECK_EQUAL(t.start_time().iso(6), "2026-06-12T12:00:00.500300");
    BOOST_CHECK(t.notes().empty());
    check_refused<std::invalid_argument>(
        [] { recording_times({file("a", 0, 1000)}, with({1000})); },
        {"start_samples: 1000: a holds 1000 samples of 2 streams"});
}

BOOST_AUTO_TEST_CASE(headers_place_files)
{
    const std::vector<timed_file> files{
        file("a", 0.2, 1000000), file("b", 0, 500000), file("c", 0.1, 1100000)};
    const recording_times t(files, with({0}));
    BOOST_CHECK_EQUAL(t.samples(), 1200000u); // the union
    BOOST_CHECK_EQUAL(t.first(0), -200000);
    BOOST_CHECK_EQUAL(t.first(1), 0);
    BOOST_CHECK_EQUAL(t.first(2), -100000);
    BOOST_CHECK(t.has_start_time() && t.start_time() == noon);
    BOOST_REQUIRE_EQUAL(t.notes().size(), 2u);
    for (const std::string words :
         {"a begins 0.2 s after b", "headers", "sample 200000 there"})
        BOOST_CHECK_NE(t.notes()[0].find(words), std::string::npos);
    BOOST_CHECK_EQUAL(t.spanned(0, 1200000), 1000000u);
    BOOST_CHECK_EQUAL(t.spanned(0, 300000), 100000u);
    BOOST_CHECK_EQUAL(t.spanned(1, 1200000), 500000u);
    BOOST_CHECK_EQUAL(t.spanned(2, 50000), 0u);

    const recording_times later(files, with({250000}));
    BOOST_CHECK_EQUAL(later.samples(), 950000u);
    BOOST_CHECK_EQUAL(later.first(0), 50000);
    BOOST_CHECK_EQUAL(later.first(1), 250000);
    BOOST_CHECK_EQUAL(later.start_time().iso(6), "2026-06-12T12:00:00.250000");
    check_refused<std::invalid_argument>([&] { recording_times(files, with({1200000})); },
                                         {"start_samples: 1200000", "1200000 samples"});
}

BOOST_AUTO_TEST_CASE(parts_of_a_sample_are_rounded_and_reported)
{
    const recording_times t({file("a", 0, 1000), file("b", 10.4e-6, 1000)}, with({0}));
    BOOST_CHECK_EQUAL(t.first(1), -10);
    BOOST_REQUIRE_EQUAL(t.notes().size(), 1u);
    BOOST_CHECK_NE(t.notes()[0].find("0.4 samples being rounded off"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(files_without_times)
{
    const std::vector<timed_file> none{untimed("a", 1000), untimed("b", 900)};
    const recording_times t(none, with({100}));
    BOOST_CHECK_EQUAL(t.samples(), 800u);
    BOOST_CHECK(!t.has_start_time() && t.notes().empty());
    const recording_times each(none, with({100, 7}));
    BOOST_CHECK_EQUAL(each.samples(), 893u);
    BOOST_CHECK_EQUAL(each.first(0), 100);
    BOOST_CHECK_EQUAL(each.first(1), 7);
    check_refused<std::invalid_argument>(
        [&] {
            recording_times(none, with({0, 900}));
        },
        {"start_samples: 900: b holds 900 samples"});
    check_refused<std::invalid_argument>(
        [&] {
            recording_times(none, with({0, 1, 2}));
        },
        {"3 values", "each of the 2"});
    // One of them has none: it begins with the set.
    const recording_times some(
        {untimed("a", 1000), file("b", 5, 1000), file("c", 4.9995, 1000)}, with({0}));
    BOOST_CHECK_EQUAL(some.samples(), 1500u);
    BOOST_CHECK_EQUAL(some.first(0), 0);
    BOOST_CHECK_EQUAL(some.first(1), -500);
    BOOST_CHECK_EQUAL(some.notes().size(), 2u);
    BOOST_CHECK_EQUAL(some.start_time().iso(4), "2026-06-12T12:00:04.9995");
}

BOOST_AUTO_TEST_CASE(starts_for_each_against_headers)
{
    const std::vector<timed_file> files{file("a", 0, 1000), file("b", 137e-6, 1000)};
    // They agree: the set begins there, and nothing behind is left out.
    const recording_times t(files, with({150, 13}));
    BOOST_CHECK_EQUAL(t.first(0), 150);
    BOOST_CHECK_EQUAL(t.first(1), 13);
    BOOST_CHECK_EQUAL(t.samples(), 987u);
    BOOST_CHECK_EQUAL(t.start_time().iso(6), "2026-06-12T12:00:00.000150");
    check_refused<std::invalid_argument>(
        [&] {
            recording_times(files, with({150, 0}));
        },
        {"start_samples",
         "sample 0 of b",
         "sample 150 of a",
         "sample 13",
         "prefer=header"});
    const recording_times settings(files, with({150, 0}, preferred::settings));
    BOOST_CHECK_EQUAL(settings.first(0), 150);
    BOOST_CHECK_EQUAL(settings.first(1), 0);
    BOOST_CHECK_EQUAL(settings.samples(), 850u);
    BOOST_CHECK_EQUAL(settings.notes().size(), 1u);
    const recording_times header(files, with({150, 0}, preferred::header));
    BOOST_CHECK_EQUAL(header.first(0), 137);
    BOOST_CHECK_EQUAL(header.used_from(0), 150u);
    BOOST_CHECK_EQUAL(header.first(1), 0);
    BOOST_CHECK_EQUAL(header.samples(), 1000u);
    BOOST_CHECK_EQUAL(header.spanned(0, 1000), 850u);
}

BOOST_AUTO_TEST_CASE(a_start_time_against_a_header)
{
    const std::vector<timed_file> files{file("a", 0.2, 1000000), file("b", 0, 500000)};
    const recording_times same(files, at(noon.plus_seconds(0.4e-6)));
    BOOST_CHECK(same.recording_start() == noon);
    check_refused<std::invalid_argument>(
        [&] { recording_times(files, at(noon.plus_seconds(0.2))); },
        {"start_time: 2026-06-12T12:00:00.200000000 is given",
         "b says that it begins at 2026-06-12T12:00:00.000000000",
         "prefer",
         "prefer=header",
         "prefer=settings"});
    const recording_times header(files, at(noon.plus_seconds(0.2), preferred::header));
    BOOST_CHECK(header.start_time() == noon);
    const recording_times settings(files, at(noon.plus_seconds(9), preferred::settings));
    BOOST_CHECK(settings.start_time() == noon.plus_seconds(9));
    BOOST_CHECK_EQUAL(settings.first(0), -200000);
    BOOST_CHECK_EQUAL(settings.notes().size(), 2u);
}

BOOST_AUTO_TEST_CASE(a_sample_rate_against_a_header)
{
    const std::vector<timed_file> files{
        untimed("none", 1000, 0), file("a", 0, 1000000), file("b", 0.25, 1000000)};
    auto rate = [](double hertz, preferred p = preferred::neither) {
        time_settings s;
        s.sample_rate = hertz;
        s.prefer = p;
        return s;
    };
    for (const double wrong : {2.4e6, 1e6 * (1 + 1e-5), 0.5e6}) {
        check_refused<std::invalid_argument>([&] { recording_times(files, rate(wrong)); },
                                             {"sample_rate: ",
                                              "Hz is given",
                                              "a has 1000000 Hz",
                                              "prefer=header",
                                              "header"});
        const recording_times header(files, rate(wrong, preferred::header));
        BOOST_CHECK_EQUAL(header.sample_rate(), 1e6);
        BOOST_CHECK_EQUAL(header.first(2), -250000);
        const recording_times settings(files, rate(wrong, preferred::settings));
        BOOST_CHECK_EQUAL(settings.sample_rate(), wrong);
        BOOST_CHECK_EQUAL(settings.first(2), -std::llround(0.25 * wrong));
        BOOST_CHECK(settings.notes()[0].find("the given one overrides it") !=
                    std::string::npos);
    }
    BOOST_CHECK_EQUAL(recording_times(files, rate(0)).sample_rate(), 1e6);
    // What a header rounds is no contradiction.
    BOOST_CHECK_EQUAL(recording_times(files, rate(1e6 + 0.5)).sample_rate(), 1e6 + 0.5);
    BOOST_CHECK_EQUAL(recording_times({files[0]}, rate(5)).sample_rate(), 5);
}

BOOST_AUTO_TEST_CASE(a_clock_of_a_thousand_days)
{
    auto clock = [](const std::string& path, std::uint64_t day, double seconds) {
        timed_file f = untimed(path, 1000000);
        f.info.start_repeats = 86400000;
        f.info.start_time.seconds = day * 86400;
        f.info.start_time = f.info.start_time.plus_seconds(seconds);
        return f;
    };
    // Around midnight of the last day.
    const std::vector<timed_file> files{clock("a", 0, 0), clock("b", 999, 86399.75)};
    const recording_times t(files, with({0}));
    BOOST_CHECK_EQUAL(t.first(0), -250000);
    BOOST_CHECK_EQUAL(t.first(1), 0);
    BOOST_CHECK(!t.has_start_time());
    epoch start;
    start.seconds = 86400ull * (20000 + 999) + 86399;
    start = start.plus_seconds(0.75);
    BOOST_CHECK(recording_times(files, at(start)).start_time() == start);
    check_refused<std::invalid_argument>(
        [&] { recording_times(files, at(start.plus_seconds(86400))); },
        {"start_time", "1000 days", "prefer=header"});
}

BOOST_AUTO_TEST_CASE(files_that_cannot_belong_together)
{
    check_refused<std::invalid_argument>(
        [] {
            recording_times({file("a", 0, 1000000), file("b", 86400, 1000000)}, {});
        },
        {"a: begins at 2026-06-12T12:00:00.000000",
         "no other file",
         "2026-06-13T12:00:00"});
    check_refused<std::invalid_argument>(
        [] {
            recording_times({file("a", 0, 1000000, 1e6), file("b", 0, 1000000, 2e6)}, {});
        },
        {"b: has 2000000 samples a second", "1000000"});
    check_refused<std::invalid_argument>([] { io::preferred_by_name("headers"); },
                                         {"prefer: 'headers'", "header or settings"});
}
