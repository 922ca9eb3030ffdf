/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_H

#include "kernels/blanking/blanking.h"
#include "kernels/cuda/context.h"
#include <cstdint>

namespace gr::fringe::kernels {

//! The cells of windows; all have room for `cells`, and the last may have `last`.
struct window_cells {
    unsigned inputs, windows, cells, last;

    __device__ unsigned of_window(unsigned k) const
    {
        return k + 1 < windows ? cells : last;
    }
};

//! Powers of cells, and what becomes of them, in the device's memory; all of it is [window] first.
struct levels_task {
    window_cells of;
    double* powers;           //!< [input][cell], -1 where lost
    double* inverse;          //!< [input], 1 / median of good inputs, else 0
    float* sums;              //!< [cell]
    const char* bad;          //!< [input], or null
    cell_levels* levels;      //!< [input + 1], see window_levels
    cell_levels* host_levels; //!< the same, in the host's memory
    float* host_runs;         //!< [cell / run_cells]
};

//! Runs of lost samples, in the device's memory; the first window begins with sample `first`.
void launch_lost_cells(const cuda_context& c,
                       const levels_task& task,
                       const sample_run* lost,
                       std::size_t count,
                       std::size_t first,
                       std::size_t window);
//! Quartiles, sums over the inputs, and runs.
void launch_levels(const cuda_context& c, const levels_task& task);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_LEVELS_H */
