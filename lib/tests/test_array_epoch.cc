/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <boost/test/unit_test.hpp>
#include <gnuradio/fringe/epoch.h>
#include <limits>
#include <stdexcept>

using gr::fringe::epoch;

namespace {

epoch at(std::uint64_t seconds, std::uint64_t attos)
{
    epoch t;
    t.seconds = seconds;
    t.attos = attos;
    return t;
}

} // namespace

BOOST_AUTO_TEST_CASE(samples_are_counted_exactly)
{
    const epoch t = at(1781263240, 250000000000000000);
    // A whole number of seconds, however many samples that is.
    BOOST_CHECK(t.plus_samples(20000000LL * 86400 * 365, 20e6) ==
                at(1781263240 + 86400 * 365, t.attos));
    // 2^60 samples and back are nothing.
    const std::int64_t many = std::int64_t(1) << 60;
    for (const double rate : {16.368e6, 1e9 + 1, 196e6 / 8192, 1e6 / 3, 0.7}) {
        const epoch far = at(std::uint64_t(1) << 62, 5);
        BOOST_CHECK(far.plus_samples(many, rate).plus_samples(-many, rate) == far);
    }
    // 1/3 s rounded to an attosecond; the third third is a whole second again.
    BOOST_CHECK(at(5, 0).plus_samples(1, 3) == at(5, 333333333333333333));
    BOOST_CHECK(at(5, 0).plus_samples(2, 3) == at(5, 666666666666666667));
    BOOST_CHECK(at(5, 0).plus_samples(3, 3) == at(6, 0));
    // 196e6 / 8192 Hz = 23925.78125 Hz, exact in binary: 8192 samples in 196e6^-1 steps.
    BOOST_CHECK(at(0, 0).plus_samples(196000000LL * 1000, 196e6 / 8192) ==
                at(8192000, 0));
    // Half samples.
    BOOST_CHECK(at(0, 0).plus_half_samples(1, 2e6) == at(0, 250000000000));
    BOOST_CHECK(at(0, 0).plus_half_samples(3, 0.5) == at(3, 0));
}

BOOST_AUTO_TEST_CASE(time_runs_backwards_too)
{
    BOOST_CHECK(at(10, 0).plus_samples(-1, 1e9) == at(9, 999999999000000000));
    BOOST_CHECK(at(10, 0).plus_seconds(-0.25) == at(9, 750000000000000000));
    BOOST_CHECK(at(10, 5).plus_seconds(-1e-18) == at(10, 4));
    BOOST_CHECK_THROW(at(10, 0).plus_seconds(-11), std::invalid_argument);
    BOOST_CHECK_THROW(at(0, 0).plus_samples(-1, 1e6), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(wrong_rates_and_differences_are_refused)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double rate : {0.0, -1.0, nan, 1e30}) {
        BOOST_CHECK_THROW(at(1, 0).plus_samples(1, rate), std::invalid_argument);
    }
    BOOST_CHECK_THROW(at(1, 0).plus_seconds(nan), std::invalid_argument);
    // A very slow rate is still a rate.
    BOOST_CHECK(at(0, 0).plus_samples(3, 0x1p-40) == at(3ULL << 40, 0));
    BOOST_CHECK_EQUAL(at(0, 0).plus_samples(3, 3e-10).seconds, 10000000000u);
}

BOOST_AUTO_TEST_CASE(pairs_and_differences)
{
    const epoch t = epoch::from_pair(1781263240, 0.125);
    BOOST_CHECK(t == at(1781263240, 125000000000000000));
    BOOST_CHECK(epoch::from_pair(7, 1.0) == at(8, 0));
    BOOST_CHECK_EQUAL(t.fraction(), 0.125);
    BOOST_CHECK_LT(at(0, 999999999999999999).fraction(), 1.0);
    BOOST_CHECK_EQUAL(at(7, 1).seconds_since(at(6, 999999999999999999)), 2e-18);
    BOOST_CHECK_EQUAL(at(6, 0).seconds_since(at(7, 500000000000000000)), -1.5);
    BOOST_CHECK(at(1, 2) < at(1, 3));
    BOOST_CHECK(at(1, 3) < at(2, 0));
    BOOST_CHECK_EQUAL(at(0, 0).mjd_seconds(), 40587.0 * 86400);
}

BOOST_AUTO_TEST_CASE(text)
{
    const epoch t = epoch::from_iso("2026-06-12T11:20:40.25Z");
    BOOST_CHECK(t == at(1781263240, 250000000000000000));
    BOOST_CHECK(t == epoch::from_iso("2026-06-12 11:20:40.25+00:00"));
    BOOST_CHECK_EQUAL(t.iso(3), "2026-06-12T11:20:40.250");
    BOOST_CHECK_EQUAL(t.iso(0), "2026-06-12T11:20:40");
    BOOST_CHECK_EQUAL(at(951782399, 999999999999999999).iso(), // up to a leap day
                      "2000-02-29T00:00:00.000000");
    BOOST_CHECK(epoch::from_iso("1970-01-01") == at(0, 0));
    BOOST_CHECK(epoch::from_iso("2000-02-29T12:00") == at(951825600, 0));
    const std::string exact = "2999-12-31T23:59:59.123456789012345678";
    BOOST_CHECK_EQUAL(epoch::from_iso(exact).iso(18), exact);
    for (const char* wrong : {"",
                              "yesterday",
                              "2026-13-01T00:00:00",
                              "2025-02-29",
                              "2026-06-31T00:00:00",
                              "2026-06-12T24:00:00",
                              "2026-06-12T11:20:40+02:00",
                              "1969-12-31T23:59:59"}) {
        BOOST_CHECK_THROW(epoch::from_iso(wrong), std::invalid_argument);
    }
}
