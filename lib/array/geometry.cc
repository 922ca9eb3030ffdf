/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/geometry.h"
#include "array/earth.h"
#include "array/vectors.h"
#include <cmath>
#include <erfa.h>
#include <erfam.h>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// East, north and up of the site in ITRF.
uvw_axes horizon(const observation& obs)
{
    const double lat = obs.site_latitude * ERFA_DD2R;
    const double lon = obs.site_longitude * ERFA_DD2R;
    const double sp = std::sin(lat), cp = std::cos(lat);
    const double sl = std::sin(lon), cl = std::cos(lon);
    return {{-sl, cl, 0}, {-sp * cl, -sp * sl, cp}, {cp * cl, cp * sl, sp}};
}

vec3 from_axes(const uvw_axes& m, const vec3& p)
{
    return add(add(scale(m.u, p[0]), scale(m.v, p[1])), scale(m.w, p[2]));
}

vec3 on_axes(const uvw_axes& m, const vec3& r)
{
    return {dot(m.u, r), dot(m.v, r), dot(m.w, r)};
}

// Axes of a direction w and a vector that is roughly north of it.
uvw_axes axes_from(const vec3& w, const vec3& north)
{
    const vec3 v = unit(add(north, scale(w, -dot(north, w))));
    return {cross(v, w), v, w};
}

vec3 azel_direction(const observation& obs, double az, double el)
{
    return from_axes(
        horizon(obs),
        {std::sin(az) * std::cos(el), std::cos(az) * std::cos(el), std::sin(el)});
}

vec3 site_itrf(const observation& obs)
{
    return itrf_from_wgs84(obs.site_latitude, obs.site_longitude, obs.site_height);
}

} // namespace

vec3 itrf_from_wgs84(double latitude, double longitude, double height)
{
    if (!(std::abs(latitude) <= 90 && std::abs(longitude) <= 360 &&
          std::isfinite(height))) {
        throw std::invalid_argument("site: latitude " + std::to_string(latitude) +
                                    ", longitude " + std::to_string(longitude) +
                                    ", height " + std::to_string(height) +
                                    "; latitudes go from -90 to 90 degrees, longitudes "
                                    "from -180 to 180");
    }
    vec3 r{};
    eraGd2gc(ERFA_WGS84, longitude * ERFA_DD2R, latitude * ERFA_DD2R, height, r.data());
    return r;
}

vec3 itrf_from_enu(const observation& obs, const vec3& enu)
{
    return add(site_itrf(obs), from_axes(horizon(obs), enu));
}

vec3 enu_from_itrf(const observation& obs, const vec3& itrf)
{
    return on_axes(horizon(obs), add(itrf, scale(site_itrf(obs), -1)));
}

uvw_axes axes_of_radec(double ra, double dec, const epoch& t, const orientation& o)
{
    // North by a central difference: precession, nutation and aberration turn the local
    // meridian as they move the direction.
    constexpr double step = 1e-5;
    const earth e(t, o);
    const vec3 north =
        add(e.itrf_of_icrs(ra, dec + step), scale(e.itrf_of_icrs(ra, dec - step), -1));
    return axes_from(e.itrf_of_icrs(ra, dec), north);
}

uvw_axes axes_of_radec(double ra, double dec, const epoch& t, double dut1)
{
    return axes_of_radec(ra, dec, t, orientation{dut1, 0, 0});
}

uvw_axes axes_of_azel(const observation& obs, double az, double el)
{
    const vec3 w = azel_direction(obs, az, el);
    const vec3 pole{0, 0, 1};
    // At the pole itself every direction is south, and the site's own north decides.
    const bool at_pole = 1 - std::abs(w[2]) < 1e-12;
    return axes_from(w, at_pole ? horizon(obs).v : pole);
}

std::array<double, 2>
radec_of_azel(const observation& obs, double az, double el, const epoch& t)
{
    return radec_of_itrf(obs, azel_direction(obs, az, el), t);
}

std::array<double, 2> radec_of_itrf(const observation& obs, const vec3& s, const epoch& t)
{
    return earth(t, orientation_of(obs, t)).icrs_of_itrf(unit(s));
}

std::array<double, 2> phase_center_radec(const observation& obs, const epoch& t)
{
    const fringe::phase_center& p = obs.phase_center;
    switch (p.frame) {
    case phase_center::kind::radec:
        return {p.longitude, p.latitude};
    case phase_center::kind::azel:
        return radec_of_azel(obs, p.longitude, p.latitude, t);
    case phase_center::kind::body:
        return radec_of_itrf(obs, body_seen_from_site(obs, p.name, t), t);
    default:
        return radec_of_azel(obs, 0, ERFA_DPI / 2, t);
    }
}

vec3 phase_center_direction(const observation& obs, const epoch& t)
{
    const fringe::phase_center& p = obs.phase_center;
    switch (p.frame) {
    case phase_center::kind::radec:
        return earth(t, orientation_of(obs, t)).itrf_of_icrs(p.longitude, p.latitude);
    case phase_center::kind::azel:
        return azel_direction(obs, p.longitude, p.latitude);
    case phase_center::kind::body:
        return unit(body_seen_from_site(obs, p.name, t));
    default:
        return horizon(obs).w;
    }
}

vec3 body_seen_from_site(const observation& obs,
                         const std::string& body,
                         const epoch& t,
                         double dt)
{
    return earth(t, orientation_of(obs, t), dt).itrf_of_body(body, site_itrf(obs));
}

vec3 site_velocity(const observation& obs, const epoch& t)
{
    if (!obs.has_site) {
        throw std::invalid_argument(
            "site_velocity: the observation has no site; it must be "
            "given, with latitude and longitude");
    }
    return earth(t, orientation_of(obs, t)).velocity_of(site_itrf(obs));
}

double local_sidereal_time(const observation& obs, const epoch& t)
{
    return eraAnp(earth(t, orientation_of(obs, t)).sidereal_time() +
                  obs.site_longitude * ERFA_DD2R);
}

vec3 source_direction(const observation& obs, const sky_source& s, const epoch& t)
{
    if (s.frame == sky_source::kind::azel) {
        return azel_direction(obs, s.a, s.b);
    }
    const double n2 = 1 - s.a * s.a - s.b * s.b;
    if (!(n2 > 0)) {
        throw std::invalid_argument("sky source '" + s.name + "': l = " +
                                    std::to_string(s.a) + ", m = " + std::to_string(s.b) +
                                    " is not on the sky; l^2 + m^2 must be below 1");
    }
    const std::array<double, 2> center = phase_center_radec(obs, t);
    return from_axes(axes_of_radec(center[0], center[1], t, orientation_of(obs, t)),
                     {s.a, s.b, std::sqrt(n2)});
}

std::vector<double> delays(const observation& obs, const vec3& s)
{
    std::vector<double> tau;
    tau.reserve(obs.antennas.size());
    for (const antenna& a : obs.antennas) {
        const vec3 r = add(a.itrf, scale(obs.antennas.front().itrf, -1));
        tau.push_back(-dot(r, s) / ERFA_CMPS);
    }
    return tau;
}

std::vector<vec3> antenna_uvw(const observation& obs, const uvw_axes& axes)
{
    std::vector<vec3> places;
    places.reserve(obs.antennas.size());
    for (const antenna& a : obs.antennas) {
        places.push_back(a.itrf);
    }
    return antenna_uvw(places, axes);
}

std::vector<vec3> antenna_uvw(std::vector<vec3> places, const uvw_axes& axes)
{
    for (vec3& r : places) {
        r = on_axes(axes, r);
    }
    return places;
}

} // namespace gr::fringe::array
