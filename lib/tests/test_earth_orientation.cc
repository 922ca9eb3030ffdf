/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/leap_seconds.h"
#include "array/vectors.h"
#include "delay_cases.h"
#include <cmath>
#include <erfam.h>

using namespace gr::fringe;
using namespace gr::fringe::array;

namespace {

constexpr double picosecond = 1e-12;

} // namespace

BOOST_AUTO_TEST_CASE(a_leap_second_lets_the_sky_turn_on)
{
    // From 23:59:59 to midnight two seconds passed at the end of 2016, and UT1 - UTC
    // jumped by one.
    const scratch folder;
    observation obs = wide_array();
    obs.set_earth_orientation(file_with(folder, turn_of_2016));
    const epoch midnight = epoch::from_iso("2017-01-01T00:00:00");
    const epoch before = midnight.plus_seconds(-1);
    BOOST_CHECK_EQUAL(leap_seconds(before), 36);
    BOOST_CHECK_EQUAL(leap_seconds(midnight), 37);
    BOOST_CHECK_EQUAL(elapsed_seconds(before, midnight), 2);
    const orientation o = orientation_of(obs, before), p = orientation_of(obs, midnight);
    BOOST_CHECK_SMALL(p.dut1 - o.dut1 - 1, 1e-7);
    BOOST_CHECK_SMALL(p.dut1 - 0.5913, 1e-12);
    const delay_model model(obs, directions[0]);
    const auto a = model.geometric(before), b = model.geometric(midnight);
    BOOST_CHECK_SMALL(b[2].seconds - a[2].seconds - (a[2].rate + b[2].rate),
                      picosecond / 10);
    check_refused<std::invalid_argument>([&] { model.polynomials(before, 10); },
                                         {"leap second", "2016-12-31T23:59:59"});
    BOOST_CHECK_NO_THROW(model.polynomials(midnight, 10));
}

BOOST_AUTO_TEST_CASE(behind_the_table_of_leap_seconds_there_is_a_warning)
{
    observation obs = wide_array();
    obs.dut1 = 0.1;
    const delay_model model(obs, directions[0]);
    const epoch now = epoch::from_iso("2020-06-01T00:00:00");
    const epoch late = epoch::from_iso("2075-01-01T00:00:00");
    BOOST_CHECK(model.warnings(now).empty());
    BOOST_REQUIRE_EQUAL(model.warnings(late).size(), 1);
    BOOST_CHECK(model.warnings(late)[0].find("2075-01-01T00:00:00 is years behind") !=
                std::string::npos);
    BOOST_CHECK_EQUAL(leap_seconds(late), leap_seconds(late.plus_seconds(1e9)));
    BOOST_CHECK(std::isfinite(model.geometric(late)[2].seconds));
    obs.dut1 = 0;
    const auto sentences = delay_model(obs, directions[0]).warnings(now);
    BOOST_REQUIRE_EQUAL(sentences.size(), 1);
    BOOST_CHECK(sentences[0].find("13 arcsec") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(earth_orientation_is_read_and_interpolated)
{
    const scratch folder;
    // Two lines of the IERS's file from 1 January 2017 on, and one without values.
    const auto finals = earth_orientation::from_file(
        file_with(folder,
                  "17 1 1 57754.00 I  0.080504 0.000028  0.263145 0.000028  I 0.5912821 "
                  "0.0000077  \n"
                  "17 1 2 57755.00 P  0.078285 0.000028  0.263139 0.000028  P 0.5901012 "
                  "0.0000077  \n"
                  "17 1 3 57756.00                                                       "
                  "          \n"));
    const epoch first = epoch::from_iso("2017-01-01T00:00:00");
    const orientation o = finals.at(first.plus_seconds(43200));
    BOOST_CHECK_CLOSE(o.dut1, (0.5912821 + 0.5901012) / 2, 1e-9);
    BOOST_CHECK_CLOSE(o.xp, (0.080504 + 0.078285) / 2 * ERFA_DAS2R, 1e-9);
    BOOST_CHECK_CLOSE(o.yp, (0.263145 + 0.263139) / 2 * ERFA_DAS2R, 1e-9);
    BOOST_CHECK_CLOSE(finals.at(first.plus_seconds(86400)).dut1, 0.5901012, 1e-9);
    check_refused<std::invalid_argument>(
        [&] { finals.at(first.plus_seconds(86401)); },
        {"eop.txt", "2017-01-02T00:00:01 is not in it", "to 2017-01-02T00:00:00"});

    // A cubic goes through without loss, and the ends hold.
    std::string cubic;
    for (int d = 0; d < 7; ++d) {
        const double x = d - 3.0;
        cubic += std::to_string(58000 + d) + " " + std::to_string(0.001 * x * x * x) +
                 " 0.1 0.2\n";
    }
    const auto table = earth_orientation::from_file(file_with(folder, cubic));
    for (const double x : {-3.0, -2.9, 0.25, 1.5, 2.75, 3.0}) {
        const epoch t = epoch().plus_seconds((58003 + x - 40587) * 86400);
        BOOST_CHECK_SMALL(table.at(t).dut1 - 0.001 * x * x * x, 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_an_orientation_file_is_reported)
{
    const scratch folder;
    const auto refused = [&](const std::string& text, std::vector<std::string> words) {
        check_refused<std::invalid_argument>(
            [&] { earth_orientation::from_file(file_with(folder, text)); }, words);
    };
    refused("", {"eop.txt: has 0 days"});
    refused("58000 0.1 0.1 0.2\n58001 0.1 0.1\n", {"line 2", "3 numbers"});
    refused("58000 0.1 0.1 0.2\nMJD dut1 xp yp\n", {"line 2: 'MJD' is not a number"});
    refused("58001 0.1 0.1 0.2\n58000 0.1 0.1 0.2\n", {"line 2", "ascend"});
    refused("58000 0.1 0.1 0.2\n58001 100 0.1 0.2\n", {"line 2", "UT1 - UTC"});
    refused("58000.0x 0.1 0.1 0.2\n", {"line 1", "58000.0x"});
    check_refused<std::invalid_argument>(
        [] { earth_orientation::from_file("no such file"); },
        {"no such file: cannot be read"});
}

BOOST_AUTO_TEST_CASE(the_observation_file_names_its_orientation_file)
{
    const scratch folder;
    const std::string path = file_with(folder, turn_of_2016);
    const std::string text = "site: {latitude: 50, longitude: 8}\n"
                             "antennas: [[0, 0, 0], [100, 0, 0]]\n";
    const std::string name = folder / "obs.yml";
    const observation obs =
        observation::from_text(text + "earth_orientation: eop.txt\n", name);
    BOOST_REQUIRE(obs.earth_orientation);
    const epoch t = epoch::from_iso("2017-01-01T00:00:00");
    BOOST_CHECK_SMALL(orientation_of(obs, t).dut1 - 0.5913, 1e-12);
    BOOST_CHECK(orientation_warning(obs).empty());
    // It stands in the text with its whole path, and nowhere beside dut1.
    const observation again = observation::from_text(obs.to_text());
    BOOST_CHECK_EQUAL(again.to_text(), obs.to_text());
    BOOST_CHECK_EQUAL(again.earth_orientation->path(), path);
    // All that depends on the earth's orientation follows it.
    const auto with = axes_of_radec(1, 0.5, t, orientation_of(obs, t)).w;
    const auto without = axes_of_radec(1, 0.5, t, 0.5913).w;
    const vec3 moved = add(with, scale(without, -1));
    BOOST_CHECK_SMALL(dot(moved, moved), std::pow(1.4e-6, 2));
    BOOST_CHECK_GT(dot(moved, moved), std::pow(1e-7, 2));
    const auto there = radec_of_azel(obs, 0.3, 0.8, t);
    const vec3 back = axes_of_radec(there[0], there[1], t, orientation_of(obs, t)).w;
    const vec3 off = add(back, scale(axes_of_azel(obs, 0.3, 0.8).w, -1));
    BOOST_CHECK_SMALL(std::sqrt(dot(off, off)), 1e-9);

    const auto refused = [&](const std::string& more, std::vector<std::string> words) {
        check_refused<std::invalid_argument>(
            [&] { observation::from_text(text + more, name); }, words);
    };
    refused("earth_orientation: eop.txt\ndut1: 0.1\n",
            {"obs.yml", "field earth_orientation", "leave one of them out"});
    refused("earth_orientation: none.txt\n", {"line 3", "none.txt: cannot be read"});
    refused("earth_orientation: eop.txt\nstart_time: 2026-01-01T00:00:00Z\n",
            {"earth_orientation", "2026-01-01T00:00:00 is not in it"});
    observation both = obs;
    both.dut1 = 0.1;
    check_refused<std::invalid_argument>([&] { both.check(); }, {"dut1: 0.1 s", "leave"});
}
