/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_GEOMETRY_H
#define INCLUDED_FRINGE_ARRAY_GEOMETRY_H

#include <array>
#include <gnuradio/fringe/observation.h>
#include <vector>

namespace gr::fringe::array {

using vec3 = std::array<double, 3>;
struct orientation;

//! WGS84 latitude, longitude (degrees) and height (m) to ITRF meters.
FRINGE_API vec3 itrf_from_wgs84(double latitude, double longitude, double height);
//! East, north, up (m) of the site to ITRF meters, and back.
FRINGE_API vec3 itrf_from_enu(const observation& obs, const vec3& enu);
FRINGE_API vec3 enu_from_itrf(const observation& obs, const vec3& itrf);

/*!
 * The axes u, v, w in ITRF of a direction on the sky at an instant: w towards the phase
 * center, v towards the ICRS north at right angles to it, u = v x w (east).
 *
 * Precession, nutation, aberration, light deflection and earth rotation by ERFA (IAU
 * 2006/2000A, eraApci13, eraAtciqz, eraEra00, eraPom00); where only dut1 is given, polar
 * motion is zero. For az/el and zenith the axes are horizontal: u east-like, v towards
 * the north-like great circle through the direction.
 */
struct FRINGE_API uvw_axes {
    vec3 u, v, w;
};
FRINGE_API uvw_axes axes_of_radec(double ra,
                                  double dec,
                                  const epoch& t,
                                  const orientation& o);
FRINGE_API uvw_axes axes_of_radec(double ra, double dec, const epoch& t, double dut1);
FRINGE_API uvw_axes axes_of_azel(const observation& obs, double az, double el);

//! ICRS (ra, dec) in radians of a direction given by azimuth and elevation in radians at
//! an instant: the inverse of the above, to 1e-9 rad.
FRINGE_API std::array<double, 2>
radec_of_azel(const observation& obs, double az, double el, const epoch& t);

//! The same of a direction in ITRF, a vector of any length.
FRINGE_API std::array<double, 2>
radec_of_itrf(const observation& obs, const vec3& s, const epoch& t);

//! ICRS (ra, dec) of the observation's phase center at an instant.
FRINGE_API std::array<double, 2> phase_center_radec(const observation& obs,
                                                    const epoch& t);

//! Unit vector in ITRF from the site towards the observation's phase center at an instant.
FRINGE_API vec3 phase_center_direction(const observation& obs, const epoch& t);

//! The same and its distance, meters: where the Sun, the Moon or a planet is, seen from the
//! site. dt seconds after t, with the orientation of the earth of t.
FRINGE_API vec3 body_seen_from_site(const observation& obs,
                                    const std::string& body,
                                    const epoch& t,
                                    double dt = 0);

//! How fast the site moves, seen from the barycenter of the solar system: m/s along the axes
//! of the ICRS. Throws std::invalid_argument where the observation has no site.
FRINGE_API vec3 site_velocity(const observation& obs, const epoch& t);

//! Local apparent sidereal time of the site in radians, 0 ... 2 pi.
FRINGE_API double local_sidereal_time(const observation& obs, const epoch& t);

//! Unit vector in ITRF towards a source of the simulated sky at an instant (l, m are
//! along u, v of the phase center's ICRS axes at that instant).
FRINGE_API vec3 source_direction(const observation& obs,
                                 const sky_source& s,
                                 const epoch& t);

//! Geometric delays in seconds, [antenna]: tau_a = -(r_a - r_0) . s / c, r_0 the first
//! antenna.
FRINGE_API std::vector<double> delays(const observation& obs, const vec3& s);

//! uvw in meters, [antenna][3]: M r_a. A baseline i-j with visibility <x_i conj(x_j)> has
//! uvw_i - uvw_j (see docs/conventions.md).
FRINGE_API std::vector<vec3> antenna_uvw(const observation& obs, const uvw_axes& axes);
//! The same of places in ITRF, in meters.
FRINGE_API std::vector<vec3> antenna_uvw(std::vector<vec3> places, const uvw_axes& axes);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_GEOMETRY_H */
