/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_EARTH_H
#define INCLUDED_FRINGE_ARRAY_EARTH_H

#include "array/earth_orientation.h"
#include "array/geometry.h"
#include <erfa.h>

namespace gr::fringe::array {

/*!
 * The earth at an instant: how a catalogue direction (ICRS) lies in the frame that turns
 * with it (ITRF), and back.
 *
 * IAU 2006/2000A precession-nutation, aberration and light deflection by the Sun as seen
 * from the center of the earth (the diurnal aberration, 0.3 arcsec, is common to all
 * antennas of an array and left out), earth rotation angle from UT1, polar motion.
 */
class earth
{
public:
    //! dt seconds after t, with the orientation and the count of leap seconds of t.
    earth(const epoch& t, const orientation& o, double dt = 0);

    //! Unit vector in ITRF of an ICRS direction in radians.
    vec3 itrf_of_icrs(double ra, double dec) const;
    //! ICRS (ra, dec) in radians, ra in 0 ... 2 pi, of a unit vector in ITRF.
    std::array<double, 2> icrs_of_itrf(const vec3& s) const;
    //! Where the Sun, the Moon or a planet is seen by an observer at `site` (ITRF, meters):
    //! meters from there, in ITRF. Light time, parallax and aberration are in it; the
    //! deflection of light, 1.8 arcsec for a planet right behind the Sun, is not.
    vec3 itrf_of_body(const std::string& body, const vec3& site) const;
    //! How fast a place on the earth (ITRF, meters) moves, seen from the barycenter of the
    //! solar system: m/s along the axes of the ICRS. The earth's way round the Sun and its
    //! turning are in it.
    vec3 velocity_of(const vec3& site) const;
    //! Apparent sidereal time at Greenwich in radians, 0 ... 2 pi.
    double sidereal_time() const;

private:
    vec3 itrf_of_cirs(const vec3& p) const;
    vec3 cirs_of_itrf(const vec3& r) const;
    vec3 gcrs_of_itrf(const vec3& r) const;

    // The functions of ERFA take these as non-const, and change nothing in them.
    mutable eraASTROM d_astrom;
    mutable double d_polar[3][3]; // to ITRF, from the frame of the day's pole
    double d_days, d_fraction;    // terrestrial time, Julian date in two parts
    double d_rotation;            // earth rotation angle, radians
    double d_origins; // equation of the origins, radians: that angle - sidereal time
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_EARTH_H */
