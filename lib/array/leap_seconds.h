/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_LEAP_SECONDS_H
#define INCLUDED_FRINGE_ARRAY_LEAP_SECONDS_H

#include <gnuradio/fringe/epoch.h>
#include <string>

namespace gr::fringe::array {

//! TAI - UTC in seconds at an instant, from ERFA's own table. Behind the table's end its
//! last value holds on.
FRINGE_API double leap_seconds(const epoch& t);

//! A sentence when the instant lies so far behind the table's end that a leap second may
//! be missing in it; otherwise empty.
FRINGE_API std::string leap_seconds_warning(const epoch& t);

//! Seconds that really pass from one instant to a later one: leap seconds are counted,
//! which the difference of two epochs leaves out.
FRINGE_API double elapsed_seconds(const epoch& from, const epoch& to);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_LEAP_SECONDS_H */
