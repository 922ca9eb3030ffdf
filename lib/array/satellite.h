/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_SATELLITE_H
#define INCLUDED_FRINGE_ARRAY_SATELLITE_H

#include "array/geometry.h"
#include <string>
#include <vector>

namespace gr::fringe::array {

/*!
 * The way of an Earth satellite, given as a table of instants and positions in ITRF.
 *
 * In between the position follows the polynomial through the ten nearest entries
 * (Lagrange), five on either side: the order that orbits in tables of the IGS (15 minutes
 * apart) are read with (Schenewerk, GPS Solutions 6, 2003). A table for a low orbit needs
 * entries every 60 s or less.
 */
class FRINGE_API satellite_track
{
public:
    //! At least four entries, ascending in time; positions in meters. Throws
    //! std::invalid_argument.
    satellite_track(std::string name,
                    const std::vector<epoch>& times,
                    std::vector<vec3> itrf);

    //! Reads a text file: lines of an instant (UTC, ISO 8601) and x, y, z in ITRF meters,
    //! where # begins a comment. Throws std::invalid_argument with file and line.
    static satellite_track from_file(const std::string& path);

    //! Position in ITRF dt seconds after an instant. Throws std::invalid_argument outside
    //! the table.
    vec3 at(const epoch& t, double dt = 0) const;

    //! From a place to where the satellite was when it sent what is received there dt
    //! seconds after t: meters along the ITRF axes of that instant.
    vec3 seen_from(const vec3& place, const epoch& t, double dt = 0) const;

    //! How well the table determines that position, in meters: how far it moves when two
    //! of the entries are left out. Small in the middle of a table that is dense enough,
    //! larger towards its ends.
    double uncertainty(const epoch& t) const;

    const std::string& name() const { return d_name; }

private:
    vec3 through(std::size_t count, double x) const;
    double place(const epoch& t, double dt) const;

    std::string d_name;
    epoch d_begin, d_end;
    std::vector<double> d_seconds; // since the first entry, leap seconds counted
    std::vector<vec3> d_itrf;
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_SATELLITE_H */
