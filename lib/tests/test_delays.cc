/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/vectors.h"
#include "delay_cases.h"
#include <cmath>
#include <erfam.h>
#include <random>

using namespace gr::fringe;
using namespace gr::fringe::array;

namespace {

constexpr double c_light = ERFA_CMPS;

} // namespace

BOOST_AUTO_TEST_CASE(delay_is_minus_w_over_c_through_an_hour)
{
    observation obs = wide_array();
    obs.dut1 = -0.12;
    const epoch start = epoch::from_iso("2026-06-12T11:20:40.25");
    for (const phase_center& p : directions) {
        const delay_model model(obs, p);
        for (double t = 0; t <= 3600; t += 600) {
            const epoch now = start.plus_seconds(t);
            const auto tau = model.geometric(now);
            const auto uvw =
                antenna_uvw(obs, axes_of_radec(p.longitude, p.latitude, now, obs.dut1));
            for (std::size_t a = 0; a < tau.size(); ++a) {
                BOOST_CHECK_SMALL(tau[a].seconds + (uvw[a][2] - uvw[0][2]) / c_light,
                                  1e-16);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_nearer_antenna_has_the_smaller_delay)
{
    const observation obs = wide_array();
    // "near" is 700 m east, and the direction is low in the east.
    const delay_model model(obs, {phase_center::kind::azel, M_PI / 2, 0.1, ""});
    const auto tau = model.geometric(epoch());
    BOOST_CHECK_CLOSE(
        tau[1].seconds, -(700 * std::cos(0.1) + 5 * std::sin(0.1)) / c_light, 1e-6);
    const auto zenith = delay_model(obs, phase_center{}).arrival(epoch());
    BOOST_CHECK_CLOSE(zenith[1].seconds, -5 / c_light, 1e-6);
    // Fixed to the ground: no rate, whatever the time, and nothing to warn of.
    BOOST_CHECK_EQUAL(tau[2].rate, 0);
    BOOST_CHECK_EQUAL(zenith[2].rate, 0);
    BOOST_CHECK(model.warnings(epoch::from_iso("2090-01-01T00:00:00")).empty());
}

BOOST_AUTO_TEST_CASE(the_retarded_baseline_is_in_the_arrival)
{
    const observation obs = wide_array();
    const delay_model model(obs, directions[0]);
    const epoch t = epoch::from_iso("2026-06-12T11:20:40.25");
    const auto tau = model.geometric(t), d = model.arrival(t);
    // Antenna 2 at t + D, seen from antenna 0 at t: both by their delay at one instant
    // against a station at the center of the earth.
    observation with_center = obs;
    with_center.antennas.front().itrf = {0, 0, 0};
    const delay_model center(with_center, directions[0]);
    const double t0 = center.geometric(t)[2].seconds - tau[2].seconds;
    const double t2 = center.geometric(t.plus_seconds(d[2].seconds))[2].seconds;
    BOOST_CHECK_SMALL(d[2].seconds - (t2 - t0), 1e-15);
    BOOST_CHECK_GT(std::abs(d[2].seconds - tau[2].seconds), 1e-10);
    BOOST_CHECK_LT(std::abs(d[2].seconds - tau[2].seconds), 2e-8);
}

BOOST_AUTO_TEST_CASE(rates_are_those_of_the_delays)
{
    const observation obs = wide_array();
    const epoch start = epoch::from_iso("2026-06-12T11:20:40.25");
    for (const phase_center& p : directions) {
        const delay_model model(obs, p);
        const epoch before = start.plus_seconds(-8), after = start.plus_seconds(8);
        // The third derivative, omega^2 of the rate, is all that 16 s leave: 1e-13.
        BOOST_CHECK_SMALL(
            (model.geometric(after)[2].seconds - model.geometric(before)[2].seconds) /
                    16 -
                model.geometric(start)[2].rate,
            1e-13);
        BOOST_CHECK_SMALL(
            (model.arrival(after)[2].seconds - model.arrival(before)[2].seconds) / 16 -
                model.arrival(start)[2].rate,
            1e-13);
    }
}

BOOST_AUTO_TEST_CASE(polynomials_keep_their_bound)
{
    observation obs = wide_array();
    obs.dut1 = 0.07;
    std::mt19937_64 random(5);
    const epoch start = epoch::from_iso("2026-12-31T23:40:00.75");
    for (const auto& [seconds, degree, allowed] : {std::tuple{10.0, 3u, 5e-15},
                                                   {60.0, 5u, 5e-15},
                                                   {3600.0, 8u, 5e-15},
                                                   {3600.0, 3u, 1e-6}}) {
        const delay_model model(obs, directions[1]);
        const auto fits = model.polynomials(start, seconds, degree);
        std::uniform_real_distribution<double> somewhere(0, seconds);
        for (int i = 0; i < 25; ++i) {
            const epoch t = start.plus_seconds(somewhere(random));
            const auto truth = model.arrival(t);
            for (std::size_t a = 0; a < truth.size(); ++a) {
                BOOST_CHECK_LE(std::abs(fits[a].value(t) - truth[a].seconds),
                               fits[a].error);
            }
            if (degree > 3) {
                BOOST_CHECK_SMALL(fits[2].rate(t) - truth[2].rate, 1e-14);
            }
        }
        BOOST_CHECK_LT(fits[2].error, allowed);
        BOOST_CHECK_GT(fits[2].error, 0);
    }
    const auto fits = delay_model(obs, directions[1]).polynomials(start, 60);
    check_refused<std::invalid_argument>(
        [&] { fits[0].value(start.plus_seconds(60.5)); },
        {"not in its interval", "2026-12-31T23:40:00.75"});
    check_refused<std::invalid_argument>(
        [&] { delay_model(obs, directions[1]).polynomials(start, 0); },
        {"at most a day"});
}

BOOST_AUTO_TEST_CASE(midnight_and_the_end_of_the_year_leave_no_step)
{
    observation obs = wide_array();
    for (const char* midnight :
         {"2026-06-13T00:00:00", "2027-01-01T00:00:00", "2024-03-01T00:00:00"}) {
        const delay_model model(obs, directions[0]);
        const epoch t = epoch::from_iso(midnight);
        const auto before = model.geometric(t.plus_seconds(-0.001));
        const auto after = model.geometric(t.plus_seconds(0.001));
        BOOST_CHECK_SMALL(after[2].seconds - before[2].seconds -
                              0.001 * (before[2].rate + after[2].rate),
                          1e-15);
    }
}
