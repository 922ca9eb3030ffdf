/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_ANTENNA_FEED_H
#define INCLUDED_FRINGE_ARRAY_ANTENNA_FEED_H

#include "array/yaml_field.h"
#include <gnuradio/fringe/observation.h>

namespace gr::fringe::array {

//! True for R and L.
bool is_circular(char polarization);

//! Reads mount, feed_angle and receptors of an antenna; what is not given stays.
void read_feed(const yaml_field& map, antenna& a);

//! Throws std::invalid_argument, naming antenna, field and value, where the mount and the feed
//! of an antenna do not exist, or do not fit its inputs.
void check_feeds(const observation& obs);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_ANTENNA_FEED_H */
