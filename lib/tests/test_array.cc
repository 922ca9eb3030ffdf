/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/geometry.h"
#include "array/vectors.h"
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace gr::fringe;
using namespace gr::fringe::array;

namespace {

constexpr double degree = M_PI / 180;

observation placed(double latitude, double longitude)
{
    observation obs = observation::example(3, 100);
    obs.set_site(latitude, longitude, 350);
    obs.add_antenna("far", {-812.25, 1500.5, -12.125});
    obs.start_time = epoch::from_iso("2026-06-12T11:20:40.25");
    obs.has_start_time = true;
    return obs;
}

double angle_between(const vec3& a, const vec3& b)
{
    const vec3 c = cross(a, b);
    return std::atan2(std::sqrt(dot(c, c)), dot(a, b));
}

} // namespace

BOOST_AUTO_TEST_CASE(itrf_and_enu_are_inverses)
{
    const observation obs = placed(-37.5, 77.5);
    for (const antenna& a : obs.antennas) {
        const vec3 back = enu_from_itrf(obs, a.itrf);
        for (int i = 0; i < 3; ++i) {
            BOOST_CHECK_SMALL(back[i] - a.enu[i], 1e-8);
        }
    }
    // WGS84 by its definition: equator and pole.
    BOOST_CHECK_CLOSE(itrf_from_wgs84(0, 0, 0)[0], 6378137.0, 1e-12);
    BOOST_CHECK_CLOSE(itrf_from_wgs84(90, 0, 0)[2], 6356752.314245, 1e-10);
    BOOST_CHECK_CLOSE(itrf_from_wgs84(0, 90, 10)[1], 6378147.0, 1e-12);
    BOOST_CHECK_THROW(itrf_from_wgs84(91, 0, 0), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(axes_are_right_handed_and_orthonormal)
{
    const observation obs = placed(52, 6);
    for (const double dec : {-90.0, -37.5, 0.0, 52.0, 89.99999, 90.0}) {
        for (const uvw_axes& m :
             {axes_of_radec(1.234, dec * degree, obs.start_time, -0.1),
              axes_of_azel(obs, 1.234, std::abs(dec) * degree)}) {
            BOOST_CHECK_SMALL(dot(m.u, m.v), 1e-14);
            BOOST_CHECK_SMALL(dot(m.u, m.w), 1e-14);
            BOOST_CHECK_SMALL(dot(m.v, m.w), 1e-14);
            BOOST_CHECK_SMALL(dot(m.u, m.u) - 1, 1e-14);
            BOOST_CHECK_SMALL(dot(m.w, m.w) - 1, 1e-14);
            BOOST_CHECK_SMALL(angle_between(cross(m.v, m.w), m.u), 1e-14);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_zenith_has_the_axes_of_the_horizon)
{
    for (const double latitude : {-90.0, -37.5, 0.0, 52.0, 90.0}) {
        const observation obs = placed(latitude, 77.5);
        const uvw_axes m = axes_of_azel(obs, 0.7, 90 * degree);
        const std::vector<vec3> uvw = antenna_uvw(obs, m);
        for (std::size_t a = 0; a < uvw.size(); ++a) {
            const vec3 r = add(uvw[a], scale(uvw[0], -1));
            for (int i = 0; i < 3; ++i) {
                BOOST_CHECK_SMALL(r[i] - obs.antennas[a].enu[i], 1e-6);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(right_ascension_and_azimuth_are_inverses)
{
    observation obs = placed(-37.5, 77.5);
    obs.dut1 = 0.12;
    for (const double el : {1.0, 30.0, 60.0, 89.0, 90.0}) {
        for (const double az : {0.0, 75.0, 181.0, 300.0}) {
            const uvw_axes fixed = axes_of_azel(obs, az * degree, el * degree);
            const auto radec =
                radec_of_azel(obs, az * degree, el * degree, obs.start_time);
            const uvw_axes celestial =
                axes_of_radec(radec[0], radec[1], obs.start_time, obs.dut1);
            BOOST_CHECK_SMALL(angle_between(fixed.w, celestial.w), 1e-9);
        }
    }
}

BOOST_AUTO_TEST_CASE(the_sky_turns_once_a_sidereal_day)
{
    const observation obs = placed(-37.5, 77.5);
    const epoch later = obs.start_time.plus_seconds(86164.0905);
    const vec3 now = axes_of_radec(1, -0.5, obs.start_time, 0).w;
    BOOST_CHECK_SMALL(angle_between(now, axes_of_radec(1, -0.5, later, 0).w), 2e-4);
    // An hour later it has moved 15.04 degrees of right ascension westwards.
    const vec3 hour = axes_of_radec(1, -0.5, obs.start_time.plus_seconds(3600), 0).w;
    const double turned = std::atan2(now[1], now[0]) - std::atan2(hour[1], hour[0]);
    BOOST_CHECK_CLOSE(
        std::remainder(turned, 2 * M_PI), 2 * M_PI * 3600 / 86164.0905, 1e-2);
}

BOOST_AUTO_TEST_CASE(a_source_lies_at_its_l_and_m)
{
    observation obs = placed(-37.5, 77.5);
    sky_source s;
    s.a = 0.25;
    s.b = -0.4;
    for (const auto kind : {phase_center::kind::zenith,
                            phase_center::kind::azel,
                            phase_center::kind::radec}) {
        obs.phase_center.frame = kind;
        obs.phase_center.longitude = 4.5;
        obs.phase_center.latitude = 0.75;
        const auto center = phase_center_radec(obs, obs.start_time);
        const uvw_axes m = axes_of_radec(center[0], center[1], obs.start_time, obs.dut1);
        const vec3 d = source_direction(obs, s, obs.start_time);
        BOOST_CHECK_SMALL(dot(d, m.u) - s.a, 1e-13);
        BOOST_CHECK_SMALL(dot(d, m.v) - s.b, 1e-13);
        BOOST_CHECK_SMALL(dot(d, d) - 1, 1e-13);
    }
    s.b = 0.99;
    BOOST_CHECK_THROW(source_direction(obs, s, obs.start_time), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(the_antenna_nearer_the_source_hears_it_earlier)
{
    const observation obs = placed(0, 0);
    sky_source s;
    s.frame = sky_source::kind::azel;
    s.a = 90 * degree; // east, where the second antenna is
    s.b = 30 * degree;
    const std::vector<double> tau = delays(obs, source_direction(obs, s, obs.start_time));
    BOOST_CHECK_EQUAL(tau[0], 0);
    BOOST_CHECK_CLOSE(tau[1], -100 * std::cos(s.b) / 299792458.0, 1e-7);
    BOOST_CHECK_CLOSE(tau[2], 2 * tau[1], 1e-7);
}
