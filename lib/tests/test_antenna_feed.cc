/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <gnuradio/fringe/observation.h>

using gr::fringe::observation;

namespace {

const std::string two = "antennas: [{name: A, enu: [0, 0, 0]}, [10, 0, 0]]\n";

void check_complaint(const std::string& yaml, const std::vector<std::string>& words)
{
    check_refused<std::invalid_argument>([&] { observation::from_text(yaml, "obs.yml"); },
                                         words);
}

} // namespace

BOOST_AUTO_TEST_CASE(an_antenna_overrides_what_all_have)
{
    const auto obs = observation::from_text("mount: equatorial\n"
                                            "feed_angle: 30\n"
                                            "receptors: linear\n"
                                            "antennas:\n"
                                            "  - [0, 0, 0]\n"
                                            "  - {enu: [10, 0, 0], mount: x-y}\n"
                                            "  - {enu: [20, 0, 0], feed_angle: [90, 0]}\n"
                                            "  - {enu: [30, 0, 0], feed_angle: -1e-3}\n");
    const std::vector<std::string> mounts{
        "equatorial", "x-y", "equatorial", "equatorial"};
    const std::vector<std::array<double, 2>> angles{
        {30, 120}, {30, 120}, {90, 0}, {-1e-3, -1e-3 + 90}};
    const auto back = observation::from_text(obs.to_text());
    for (std::size_t a = 0; a < 4; a++) {
        BOOST_CHECK_EQUAL(obs.antennas[a].mount, mounts[a]);
        BOOST_CHECK_EQUAL(obs.antennas[a].receptors, "linear");
        BOOST_CHECK(obs.antennas[a].feed_angle == angles[a]);
        BOOST_CHECK_EQUAL(back.antennas[a].mount, mounts[a]);
        BOOST_CHECK_EQUAL(back.antennas[a].receptors, "linear");
        BOOST_CHECK(back.antennas[a].feed_angle == angles[a]);
    }
    const auto plain = observation::from_text(two);
    BOOST_CHECK_EQUAL(plain.antennas[0].mount, "");
    BOOST_CHECK_EQUAL(plain.to_text().find("feed_angle"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(circular_receptors_have_one_angle)
{
    for (const char* angle : {"40", "[40, 40]", "[40, 130]"}) {
        const auto obs =
            observation::from_text(two + "polarizations: [R, L]\n" +
                                   "receptors: circular\nfeed_angle: " + angle);
        BOOST_CHECK_EQUAL(obs.antennas[1].feed_angle[0], 40);
        BOOST_CHECK_EQUAL(observation::from_text(obs.to_text()).to_text(), obs.to_text());
    }
    // An antenna without inputs may be of the other kind.
    observation::from_text(two + "receptors: linear\ninputs: [{antenna: A}]");
    observation::from_text(
        "antennas: [{name: A, enu: [0, 0, 0]}, {name: B, enu: [9, 0, 0], "
        "receptors: circular}]\ninputs: [{antenna: A}]");
}

BOOST_AUTO_TEST_CASE(mistakes_are_named)
{
    check_complaint(two + "mount: altaz",
                    {"obs.yml, line 2: field mount: 'altaz'",
                     "it must be alt-az, equatorial, x-y or fixed"});
    check_complaint("antennas: [{enu: [0, 0, 0], mount: ''}]",
                    {"field antennas[0].mount", "it must be alt-az"});
    check_complaint(two + "receptors: round", {"'round'", "must be linear or circular"});
    check_complaint(two + "mounts: fixed", {"the nearest is 'mount'"});
    check_complaint(
        two + "receptors: circular",
        {"obs.yml: antennas[0].receptors: 'circular', but its inputs are X or Y"});
    check_complaint("antennas: [[0, 0, 0], {enu: [9, 0, 0], receptors: linear}]\n"
                    "polarizations: [R]",
                    {"antennas[1].receptors: 'linear', but its inputs are R or L"});
    check_complaint(two + "feed_angle: north",
                    {"field feed_angle: 'north' is not a number"});
    check_complaint(two + "feed_angle: [1, 2, 3]", {"has 3 numbers", "those of X and Y"});
    check_complaint(two + "feed_angle: [0, 45]",
                    {"antennas[0].feed_angle: 0 and 45 degrees", "90 degrees apart"});
    check_complaint(two + "feed_angle: 361", {"-360 ... 360"});
    check_complaint(two + "polarizations: [L]\nfeed_angle: [90, 0]", {"give one number"});
    auto obs = observation::example(2);
    obs.antennas[1].mount = "orbiting";
    check_refused<std::invalid_argument>(
        [&] { obs.check(); }, {"antennas[1].mount: 'orbiting'; it must be alt-az"});
}
