/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LAUNCH_H
#define INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LAUNCH_H

#include "kernels/peeling/cuda/cells.cuh"
#include "kernels/peeling/peeling.h"
#include <type_traits>

namespace gr::fringe::kernels::peel {

//! Of a block; each takes a row.
constexpr unsigned threads = 256;

//! Blocks of threads: rows, chunks of channels.
inline dim3 blocks_of(const solved_part& part)
{
    return {(part.rows + threads - 1) / threads,
            (part.count + part.chunk - 1) / part.chunk};
}

//! Calls a function with the number of sources as a constant.
template <class Function>
void with_sources(unsigned sources, const Function& call)
{
    static_assert(peeling_params::max_sources == 4);
    switch (sources) {
    case 1:
        call(std::integral_constant<unsigned, 1>());
        break;
    case 2:
        call(std::integral_constant<unsigned, 2>());
        break;
    case 3:
        call(std::integral_constant<unsigned, 3>());
        break;
    default:
        call(std::integral_constant<unsigned, 4>());
    }
}

} // namespace gr::fringe::kernels::peel

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_CUDA_LAUNCH_H */
