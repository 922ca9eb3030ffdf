/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Directions in the frames that files of other programs use, turned to ICRS with ERFA.
 */

#ifndef INCLUDED_FRINGE_ARRAY_SKY_FRAMES_H
#define INCLUDED_FRINGE_ARRAY_SKY_FRAMES_H

#include <array>
#include <gnuradio/fringe/epoch.h>
#include <string>
#include <vector>

namespace gr::fringe::array {

//! The names that icrs_of_frame() knows: those of MeasurementSets, FITS and UVH5.
FRINGE_API const std::vector<std::string>& sky_frames();

/*!
 * ICRS (ra, dec) in radians of a direction in another frame, to some mas.
 *
 * year: the equinox of FK4 (Besselian; 1950 is the usual one) and FK5 (Julian). t: the instant of
 * frames "of date" (APP, JMEAN, JTRUE, MECLIPTIC). Frames of a place on the earth (AZEL, HADEC)
 * are no directions among the stars. Throws std::invalid_argument for a name that is not known.
 */
FRINGE_API std::array<double, 2> icrs_of_frame(const std::string& frame,
                                               double year,
                                               double longitude,
                                               double latitude,
                                               const epoch& t);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_SKY_FRAMES_H */
