/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_POLYCO_FILE_H
#define INCLUDED_FRINGE_ARRAY_POLYCO_FILE_H

#include "array/polyco.h"

namespace gr::fringe::array {

//! All polynomials of a file, in its order; at least one.
std::vector<polyco::segment> read_polyco(const std::string& path);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_POLYCO_FILE_H */
