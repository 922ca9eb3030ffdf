/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_CUDA_SUMS_H
#define INCLUDED_FRINGE_KERNELS_PEELING_CUDA_SUMS_H

#include "kernels/cuda/context.h"
#include "kernels/peeling/cuda/cells.cuh"
#include "kernels/peeling/level_bins.h"

namespace gr::fringe::kernels::peel {

//! What the sums of all rows have in common.
struct all_rows {
    unsigned long long cells, outliers;
    float heaviest;
};

//! Complex sums of a row: of the data, and of the models.
FRINGE_HOST_DEVICE constexpr unsigned complex_sums(unsigned sources)
{
    return sources + sources * (sources + 1) / 2;
}
//! Floats of a row in a chunk of channels: these, weights, all weights, cells, outliers, and the
//! largest weight.
FRINGE_HOST_DEVICE constexpr unsigned floats_of_chunk(unsigned sources)
{
    return 2 * complex_sums(sources) + 5;
}

//! Sums over the cells that do not stand out: [sum][row] complex, then weights [row], all weights
//! [row]. partial: [chunk][floats_of_chunk()][row].
void add_cells(cudaStream_t stream,
               unsigned sources,
               const held_dump& dump,
               const solved_part& part,
               const level_limits* limits,
               float* partial,
               float2* sums,
               all_rows* all);

} // namespace gr::fringe::kernels::peel

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_CUDA_SUMS_H */
