/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_ADD_SUMS_H
#define INCLUDED_FRINGE_STAGES_ADD_SUMS_H

#include <cstddef>
#include <gnuradio/fringe/api.h>

namespace gr::fringe {

//! Adds the `count` int32 (or float32) values at `more` to those at `sums`.
FRINGE_API void add_sums(bool integer, void* sums, const void* more, std::size_t count);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_ADD_SUMS_H */
