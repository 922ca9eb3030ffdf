/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/flagged_cells.h"
#include <algorithm>
#include <cstdint>

namespace gr::fringe {

void clear_flagged(const std::vector<kernels::cell_run>& cells,
                   std::size_t inputs,
                   std::size_t channels,
                   void* sums)
{
    const std::size_t baselines = kernels::baselines(inputs);
    for (const kernels::cell_run& run : cells) {
        const std::size_t end =
            std::min<std::size_t>(std::size_t(run.first) + run.count, channels * inputs);
        for (std::size_t cell = run.first; cell < end; ++cell) {
            const std::size_t i = cell % inputs;
            auto* const row =
                static_cast<std::uint64_t*>(sums) + cell / inputs * baselines;
            for (std::size_t j = 0; j < i; ++j) {
                row[kernels::baseline_index(j, i, inputs)] = 0;
            }
            std::fill_n(row + kernels::baseline_index(i, i, inputs), inputs - i, 0);
        }
    }
}

} // namespace gr::fringe
