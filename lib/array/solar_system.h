/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_SOLAR_SYSTEM_H
#define INCLUDED_FRINGE_ARRAY_SOLAR_SYSTEM_H

#include <array>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/observation.h>
#include <string>
#include <vector>

namespace gr::fringe::array {

using vec3 = std::array<double, 3>;

/*!
 * Sources that have a name: the Sun, the Moon and the planets, which move, and the
 * brightest radio sources, which have one place among the stars.
 *
 * The Sun's place is that of eraEpv00, the Moon's of eraMoon98, the planets' of eraPlan94:
 * series that ERFA carries, so that no file is needed. Their errors (ERFA's own figures):
 * a few hundredths of an arcsecond for the Sun, 18 arcsec for the Moon, and in longitude,
 * seen from the Sun, 4 arcsec for Mercury, 5 for Venus, 17 for Mars, 71 for Jupiter, 81
 * for Saturn, 86 for Uranus and 11 for Neptune (largest of 1800 to 2050).
 */

//! The names of all of them: those that move first.
FRINGE_API std::vector<std::string> source_names();

//! The phase center of a name, written with or without spaces and in any case: "Sun",
//! "cas a", "CasA". Throws std::invalid_argument with all the names.
FRINGE_API phase_center phase_center_by_name(const std::string& name);

//! True for the name of the Sun, the Moon or a planet, written as source_names() has it.
bool is_body(const std::string& name);

//! Where the light comes from that is received at an instant (a Julian date of terrestrial
//! time, in two parts): meters from an observer, who is `observer` meters from the center of
//! the earth, along the axes of the ICRS. Aberration is not in it.
vec3 astrometric_place(const std::string& body,
                       double days,
                       double fraction,
                       const vec3& observer);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_SOLAR_SYSTEM_H */
