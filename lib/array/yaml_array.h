/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_YAML_ARRAY_H
#define INCLUDED_FRINGE_ARRAY_YAML_ARRAY_H

#include "array/yaml_field.h"
#include <gnuradio/fringe/observation.h>

namespace gr::fringe::array {

//! Reads site, antennas and inputs (or the shorthand polarizations) of an observation.
void read_array(const yaml_field& root, observation& obs);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_YAML_ARRAY_H */
