/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FLAGGED_CELLS_H
#define INCLUDED_FRINGE_STAGES_FLAGGED_CELLS_H

#include "kernels/base/types.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

//! Sets the products of flagged cells to zero: in sums [channel][baseline] of 8 bytes each,
//! those of input i in channel c for every cell c * inputs + i of the runs.
FRINGE_API void clear_flagged(const std::vector<kernels::cell_run>& cells,
                              std::size_t inputs,
                              std::size_t channels,
                              void* sums);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FLAGGED_CELLS_H */
