/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/delay_model.h"
#include "array/earth.h"
#include "array/leap_seconds.h"
#include "array/solar_system.h"
#include "array/vectors.h"
#include <cmath>
#include <erfam.h>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// Of the stencil that takes derivatives: exact in binary, and short enough for a
// satellite that rushes by.
constexpr double step = 0.25;

void require_antennas(const observation& obs)
{
    if (obs.antennas.empty()) {
        throw std::invalid_argument(
            "delay model: the observation has no antennas; at least one is needed");
    }
}

} // namespace

// T_a and its derivatives.
struct delay_model::motion {
    double value, rate, acceleration;
};

delay_model::delay_model(const observation& obs, const phase_center& direction)
    : d_obs(obs), d_direction(direction)
{
    require_antennas(obs);
    const bool body = direction.frame == phase_center::kind::body;
    if (body && !is_body(direction.name)) {
        throw std::invalid_argument("delay model: '" + direction.name +
                                    "' is not the Sun, the Moon or a planet");
    }
    if (!(std::isfinite(direction.longitude) &&
          std::abs(direction.latitude) <= ERFA_DPI / 2)) {
        throw std::invalid_argument(
            "delay model: the direction's declination or elevation "
            "must lie in -90 ... 90 degrees");
    }
    if ((body || direction.frame == phase_center::kind::radec) && !obs.has_site) {
        throw std::invalid_argument(
            "delay model: the observation has no site; a direction "
            "in right ascension and declination needs it, and so does a body that moves");
    }
}

delay_model::delay_model(const observation& obs, const satellite_track& track)
    : d_obs(obs), d_track(std::make_shared<const satellite_track>(track))
{
    require_antennas(obs);
    if (!obs.has_site) {
        throw std::invalid_argument(
            "delay model: the observation has no site; a satellite needs it");
    }
}

std::vector<double> delay_model::travel(const epoch& t, double dt) const
{
    if (d_track) {
        return satellite_travel(t, dt);
    }
    if (d_direction.frame == phase_center::kind::body) {
        return body_travel(t, dt);
    }
    vec3 s{};
    switch (d_direction.frame) {
    case phase_center::kind::radec:
        s = earth(t, orientation_of(d_obs, t), dt)
                .itrf_of_icrs(d_direction.longitude, d_direction.latitude);
        break;
    case phase_center::kind::azel:
        s = axes_of_azel(d_obs, d_direction.longitude, d_direction.latitude).w;
        break;
    default:
        s = axes_of_azel(d_obs, 0, ERFA_DPI / 2).w;
    }
    std::vector<double> seconds;
    for (const antenna& a : d_obs.antennas) {
        seconds.push_back(-dot(a.itrf, s) / ERFA_CMPS);
    }
    return seconds;
}

// The wave front is a sphere, which counts for the Moon: over 10 km it is 0.13 m deep. The
// difference of two lengths of 1e11 m would have no digits left; this form keeps them.
std::vector<double> delay_model::body_travel(const epoch& t, double dt) const
{
    const vec3 site = itrf_from_enu(d_obs, {0, 0, 0});
    const vec3 x = add(site, body_seen_from_site(d_obs, d_direction.name, t, dt));
    const double distance = std::sqrt(dot(x, x));
    std::vector<double> seconds;
    for (const antenna& a : d_obs.antennas) {
        const vec3 way = add(x, scale(a.itrf, -1));
        const double sum = std::sqrt(dot(way, way)) + distance;
        seconds.push_back((dot(a.itrf, a.itrf) - 2 * dot(x, a.itrf)) / sum / ERFA_CMPS);
    }
    return seconds;
}

std::vector<double> delay_model::satellite_travel(const epoch& t, double dt) const
{
    std::vector<double> seconds;
    for (const antenna& a : d_obs.antennas) {
        const vec3 r = d_track->seen_from(a.itrf, t, dt);
        seconds.push_back(std::sqrt(dot(r, r)) / ERFA_CMPS);
    }
    return seconds;
}

std::vector<delay_model::motion> delay_model::motions(const epoch& t) const
{
    // Five points. dt moves neither the earth's orientation nor the count of leap
    // seconds, so the derivatives hold on both sides of midnight.
    const std::vector<double> aa = travel(t, -2 * step), a = travel(t, -step),
                              m = travel(t, 0), b = travel(t, step),
                              bb = travel(t, 2 * step);
    std::vector<motion> out;
    for (std::size_t i = 0; i < m.size(); ++i) {
        out.push_back(
            {m[i],
             (8 * (b[i] - a[i]) - (bb[i] - aa[i])) / (12 * step),
             (16 * ((b[i] - m[i]) + (a[i] - m[i])) - ((bb[i] - m[i]) + (aa[i] - m[i]))) /
                 (12 * step * step)});
    }
    return out;
}

std::vector<delay> delay_model::geometric(const epoch& t) const
{
    const std::vector<motion> way = motions(t);
    std::vector<delay> out;
    for (const motion& a : way) {
        out.push_back({a.value - way[0].value, a.rate - way[0].rate});
    }
    return out;
}

std::vector<delay> delay_model::arrival(const epoch& t) const
{
    const std::vector<motion> way = motions(t);
    std::vector<delay> out;
    for (const motion& a : way) {
        const double tau = a.value - way[0].value;
        double d = tau;
        for (int round = 0; round < 5; ++round) {
            d = tau + d * (a.rate + d * a.acceleration / 2);
        }
        const double then = a.rate + d * a.acceleration;
        out.push_back({d, (then - way[0].rate) / (1 - then)});
    }
    return out;
}

std::vector<delay_polynomial> delay_model::polynomials(const epoch& start,
                                                       double seconds,
                                                       unsigned degree,
                                                       delay_kind kind) const
{
    if (!(seconds > 0 && seconds <= 86400) || degree < 1 || degree > 16) {
        throw std::invalid_argument("delay polynomials: " + std::to_string(seconds) +
                                    " s of degree " + std::to_string(degree) +
                                    "; an interval is at most a day, a degree 1 ... 16");
    }
    const epoch end = start.plus_seconds(seconds);
    if (leap_seconds(start) != leap_seconds(end)) {
        throw std::invalid_argument("delay polynomials: a leap second lies between " +
                                    start.iso(0) + " and " + end.iso(0) +
                                    "; no interval may hold one");
    }
    const auto at = [this, kind](const epoch& t) {
        std::vector<double> values;
        for (const delay& d : kind == delay_kind::arrival ? arrival(t) : geometric(t)) {
            values.push_back(d.seconds);
        }
        return values;
    };
    return fit_polynomials(at, start, seconds, degree);
}

std::vector<std::string> delay_model::warnings(const epoch& t) const
{
    std::vector<std::string> out;
    if (!d_track && (d_direction.frame == phase_center::kind::azel ||
                     d_direction.frame == phase_center::kind::zenith)) {
        return out; // fixed to the ground: neither time nor the earth's turning matters
    }
    for (const std::string& w : {orientation_warning(d_obs), leap_seconds_warning(t)}) {
        // A satellite is given in ITRF, where the earth's orientation does not enter.
        if (!w.empty() && (!d_track || w.rfind("time", 0) == 0)) {
            out.push_back(w);
        }
    }
    return out;
}

} // namespace gr::fringe::array
