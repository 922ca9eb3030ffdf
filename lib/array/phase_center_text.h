/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_PHASE_CENTER_TEXT_H
#define INCLUDED_FRINGE_ARRAY_PHASE_CENTER_TEXT_H

#include "array/yaml_field.h"
#include <gnuradio/fringe/observation.h>

namespace gr::fringe::array {

//! The field `phase_center` of an observation file: zenith, a name, {ra, dec} or {az, el}.
phase_center read_phase_center(const yaml_field& f);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_PHASE_CENTER_TEXT_H */
