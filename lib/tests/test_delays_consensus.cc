/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/vectors.h"
#include "delay_cases.h"
#include <cmath>
#include <erfa.h>
#include <erfam.h>

using namespace gr::fringe;
using namespace gr::fringe::array;

namespace {

constexpr double c_light = ERFA_CMPS;
constexpr double picosecond = 1e-12;
constexpr double omega = 7.292115e-5; // of the earth, rad/s

struct julian {
    double a = 0, b = 0;
};

struct clocks {
    julian tt, ut1;
};

// By ERFA's Julian dates, without the epoch's own calendar. Not within a leap second.
clocks clocks_of(const epoch& t, double dut1)
{
    julian utc{2440587.5 + static_cast<double>(t.seconds / 86400),
               (static_cast<double>(t.seconds % 86400) + t.fraction()) / 86400};
    julian tai;
    clocks k;
    eraUtctai(utc.a, utc.b, &tai.a, &tai.b);
    eraTaitt(tai.a, tai.b, &k.tt.a, &k.tt.b);
    eraUtcut1(utc.a, utc.b, dut1, &k.ut1.a, &k.ut1.b);
    return k;
}

/*
 * The delay of IERS Conventions (2010), chapter 11 (eq. 11.9, the consensus model), from
 * barycentric vectors: an independent way to the arrival of a wavefront at station 2
 * after it has passed station 1. Sun's gravity only.
 */
double consensus(const vec3& r1,
                 const vec3& r2,
                 const phase_center& p,
                 const clocks& k,
                 const orientation& o)
{
    double heliocentric[2][3], barycentric[2][3], c2t[3][3];
    eraEpv00(k.tt.a, k.tt.b, heliocentric, barycentric);
    eraC2t06a(k.tt.a, k.tt.b, k.ut1.a, k.ut1.b, o.xp, o.yp, c2t);
    constexpr double day = 86400;
    vec3 star{}, a = r1, b = r2, x1{}, x2{};
    eraS2c(p.longitude, p.latitude, star.data());
    eraTrxp(c2t, a.data(), x1.data());
    eraTrxp(c2t, b.data(), x2.data());
    // The axis of rotation in the celestial frame carries the stations.
    vec3 pole{0, 0, 1}, axis{};
    eraTrxp(c2t, pole.data(), axis.data());
    const vec3 w2 = scale(cross(axis, x2), omega);
    const vec3 baseline = add(x2, scale(x1, -1));
    vec3 v{}, sun{};
    for (int i = 0; i < 3; ++i) {
        v[i] = barycentric[1][i] * ERFA_DAU / day;
        sun[i] = heliocentric[0][i] * ERFA_DAU; // the earth from the sun
    }
    const double c = c_light, gm = 1.32712440018e20;
    const double distance = std::sqrt(dot(sun, sun));
    const double u = gm / distance;
    const vec3 s1 = add(sun, x1);
    // The station moves on while the wavefront is on its way to it.
    const vec3 s2 = add(add(sun, x2), scale(v, -dot(star, baseline) / c));
    const double shapiro = 2 * gm / (c * c * c) *
                           std::log((std::sqrt(dot(s1, s1)) + dot(star, s1)) /
                                    (std::sqrt(dot(s2, s2)) + dot(star, s2)));
    const double kb = dot(star, baseline);
    return (shapiro -
            kb / c *
                (1 - 2 * u / (c * c) - dot(v, v) / (2 * c * c) - dot(v, w2) / (c * c)) -
            dot(v, baseline) / (c * c) * (1 + dot(star, v) / (2 * c))) /
           (1 + dot(star, add(v, w2)) / c);
}

} // namespace

BOOST_AUTO_TEST_CASE(arrival_is_the_iers_consensus_delay)
{
    const scratch folder;
    observation obs = wide_array();
    obs.set_earth_orientation(file_with(folder, turn_of_2016));
    for (const char* day : {"2016-12-30T02:00:00.125", "2017-01-01T17:00:00"}) {
        for (const phase_center& p : directions) {
            const delay_model model(obs, p);
            for (double t = 0; t <= 3600; t += 900) {
                const epoch now = epoch::from_iso(day).plus_seconds(t);
                const orientation o = orientation_of(obs, now);
                const double expected = consensus(obs.antennas[0].itrf,
                                                  obs.antennas[2].itrf,
                                                  p,
                                                  clocks_of(now, o.dut1),
                                                  o);
                BOOST_CHECK_SMALL(model.arrival(now)[2].seconds - expected, picosecond);
            }
        }
    }
}
