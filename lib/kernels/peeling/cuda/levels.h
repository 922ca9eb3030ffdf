/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LEVELS_H
#define INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LEVELS_H

#include "kernels/cuda/context.h"
#include "kernels/peeling/cuda/cells.cuh"
#include "kernels/peeling/level_bins.h"

namespace gr::fringe::kernels::peel {

//! Counts the powers of what is left of cells that have weight in counts [level_bins::count], and
//! finds the limits: two kernels in a stream.
void find_limits(cudaStream_t stream,
                 unsigned sources,
                 const held_dump& dump,
                 const solved_part& part,
                 float clip,
                 unsigned* counts,
                 level_limits* limits);

} // namespace gr::fringe::kernels::peel

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LEVELS_H */
