/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_EARTH_ORIENTATION_H
#define INCLUDED_FRINGE_ARRAY_EARTH_ORIENTATION_H

#include <gnuradio/fringe/observation.h>
#include <string>
#include <vector>

namespace gr::fringe::array {

//! How the turning earth differs from a uniform one, at an instant.
struct FRINGE_API orientation {
    double dut1 = 0; //!< UT1 - UTC, seconds
    double xp = 0;   //!< polar motion, radians, towards the meridian of Greenwich
    double yp = 0;   //!< polar motion, radians, towards 90 degrees west
};

/*!
 * UT1 - UTC and polar motion through time, from a file the user gives: the IERS's
 * finals2000A (.all, .daily or .data, as it is) or a text table with four numbers a line,
 *
 *     MJD (UTC)   UT1 - UTC (s)   xp (arcsec)   yp (arcsec)
 *
 * where # begins a comment. Both ascend in time.
 *
 * In between the values follow the cubic through the four nearest days (Lagrange), as the
 * IERS recommends; UT1 - TAI is what is interpolated, since UT1 - UTC jumps with a leap
 * second. Ocean tides within a day (up to 0.05 ms, 0.5 mas) are not added.
 */
class FRINGE_API earth_orientation
{
public:
    //! Throws std::invalid_argument with file, line and what would be right.
    static earth_orientation from_file(const std::string& path);

    //! Throws std::invalid_argument for an instant outside the table.
    orientation at(const epoch& t) const;
    const std::string& path() const { return d_path; }

private:
    void add(double mjd, double dut1, double xp, double yp, std::size_t line);

    std::string d_path;
    std::vector<double> d_mjd, d_ut1_tai, d_xp, d_yp;
};

//! What the observation says of an instant: its file, or its dut1 and no polar motion.
FRINGE_API orientation orientation_of(const observation& obs, const epoch& t);

//! A sentence when the observation says neither, and 0 is taken; otherwise empty.
FRINGE_API std::string orientation_warning(const observation& obs);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_EARTH_ORIENTATION_H */
