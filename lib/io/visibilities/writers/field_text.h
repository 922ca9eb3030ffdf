/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FIELD_TEXT_H
#define INCLUDED_FRINGE_IO_FIELD_TEXT_H

#include <array>
#include <gnuradio/fringe/observation.h>
#include <string>

namespace gr::fringe::io {

//! True when the phase center moves among the stars: every dump is phased to where it is
//! then, and not to where it was in the first.
bool moving(const observation& obs);

//! Name of the one field of a file that is phased to ICRS (ra, dec) in radians, which
//! was the phase center at `when`: the observation's own name for it or one made from
//! the coordinates.
std::string
field_name(const observation& obs, const std::array<double, 2>& radec, const epoch& when);

//! A sentence for the file's history: where the phase center is and how it came about.
std::string field_history(const observation& obs,
                          const std::array<double, 2>& radec,
                          const epoch& when);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FIELD_TEXT_H */
