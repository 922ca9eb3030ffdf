/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth.h"
#include "array/solar_system.h"
#include "array/vectors.h"
#include <cmath>
#include <erfam.h>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// A Julian date in two parts, which together keep more digits than one double.
struct julian {
    double days = 0, fraction = 0;
};

// ERFA's UTC stretches the day with a leap second, so the time of day goes in as hours,
// minutes and seconds and not as a fraction of 86400 s. Its positive status only says
// that the year is outside the table of leap seconds.
julian utc_of(const epoch& t)
{
    int year = 0, month = 0, day = 0;
    double zero = 0;
    const double midnight = 2440587.5 + static_cast<double>(t.seconds / 86400);
    const int second = static_cast<int>(t.seconds % 86400);
    julian utc;
    if (eraJd2cal(midnight, 0, &year, &month, &day, &zero) < 0 ||
        eraDtf2d("UTC",
                 year,
                 month,
                 day,
                 second / 3600,
                 second / 60 % 60,
                 second % 60 + t.fraction(),
                 &utc.days,
                 &utc.fraction) < 0) {
        throw std::invalid_argument("time: " + std::to_string(t.seconds) +
                                    " s since 1970 is out of range");
    }
    return utc;
}

} // namespace

earth::earth(const epoch& t, const orientation& o, double dt)
{
    const julian utc = utc_of(t);
    julian tai, tt, ut1;
    eraUtctai(utc.days, utc.fraction, &tai.days, &tai.fraction);
    eraTaitt(tai.days, tai.fraction, &tt.days, &tt.fraction);
    eraUtcut1(utc.days, utc.fraction, o.dut1, &ut1.days, &ut1.fraction);
    tt.fraction += dt / 86400;
    ut1.fraction += dt / 86400;
    d_days = tt.days;
    d_fraction = tt.fraction;
    eraApci13(tt.days, tt.fraction, &d_astrom, &d_origins);
    d_rotation = eraEra00(ut1.days, ut1.fraction);
    eraPom00(o.xp, o.yp, eraSp00(tt.days, tt.fraction), d_polar);
}

vec3 earth::itrf_of_icrs(double ra, double dec) const
{
    double ri = 0, di = 0;
    eraAtciqz(ra, dec, &d_astrom, &ri, &di);
    vec3 p{}, s{};
    eraS2c(ri - d_rotation, di, p.data());
    eraRxp(d_polar, p.data(), s.data());
    return s;
}

// From the frame of the day's equator, which does not turn with the earth.
vec3 earth::itrf_of_cirs(const vec3& p) const
{
    const double c = std::cos(d_rotation), s = std::sin(d_rotation);
    vec3 turned{c * p[0] + s * p[1], c * p[1] - s * p[0], p[2]}, out{};
    eraRxp(d_polar, turned.data(), out.data());
    return out;
}

vec3 earth::cirs_of_itrf(const vec3& r) const
{
    vec3 itrf = r, p{};
    eraTrxp(d_polar, itrf.data(), p.data());
    const double c = std::cos(d_rotation), s = std::sin(d_rotation);
    return {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
}

// Along the axes of the ICRS, from the center of the earth.
vec3 earth::gcrs_of_itrf(const vec3& r) const
{
    vec3 turned = cirs_of_itrf(r), out{};
    eraTrxp(d_astrom.bpn, turned.data(), out.data());
    return out;
}

vec3 earth::velocity_of(const vec3& site) const
{
    constexpr double turns_a_day = 1.00273781191135448; // of the earth rotation angle
    constexpr double rate = turns_a_day * ERFA_D2PI / ERFA_DAYSEC;
    const vec3 place = cirs_of_itrf(site);
    vec3 turning{-rate * place[1], rate * place[0], 0}, out{};
    eraTrxp(d_astrom.bpn, turning.data(), out.data());
    const vec3 orbit{d_astrom.v[0], d_astrom.v[1], d_astrom.v[2]}; // in units of c
    return add(out, scale(orbit, ERFA_CMPS));
}

vec3 earth::itrf_of_body(const std::string& body, const vec3& site) const
{
    const vec3 way = astrometric_place(body, d_days, d_fraction, gcrs_of_itrf(site));
    vec3 towards = unit(way), aberrated{}, of_the_day{};
    eraAb(towards.data(), d_astrom.v, d_astrom.em, d_astrom.bm1, aberrated.data());
    eraRxp(d_astrom.bpn, aberrated.data(), of_the_day.data());
    return scale(itrf_of_cirs(of_the_day), std::sqrt(dot(way, way)));
}

std::array<double, 2> earth::icrs_of_itrf(const vec3& s) const
{
    vec3 itrf = s, p{};
    eraTrxp(d_polar, itrf.data(), p.data());
    double ri = 0, di = 0, ra = 0, dec = 0;
    eraC2s(p.data(), &ri, &di);
    eraAticq(eraAnp(ri + d_rotation), di, &d_astrom, &ra, &dec);
    return {eraAnp(ra), dec};
}

double earth::sidereal_time() const { return eraAnp(d_rotation - d_origins); }

} // namespace gr::fringe::array
