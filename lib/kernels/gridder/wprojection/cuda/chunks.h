/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CHUNKS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CHUNKS_H

#include "kernels/cuda/staging.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/convolver.h"
#include "kernels/gridder/wprojection/cuda/work.cuh"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace gr::fringe::kernels {

//! Calls f(std::integral_constant<int, support>()): the support that a kernel is compiled for.
template <class F>
void by_support(std::uint32_t support, const F& f)
{
    switch (support) {
    case 8:
        return f(std::integral_constant<int, 8>());
    case 16:
        return f(std::integral_constant<int, 16>());
    case 32:
        return f(std::integral_constant<int, 32>());
    case 64:
        return f(std::integral_constant<int, 64>());
    default:
        return f(std::integral_constant<int, 128>());
    }
}

//! One block for each chunk of visibilities and each part of the support.
inline dim3 blocks_of(const convolver_work& w, int parts)
{
    return dim3(static_cast<unsigned>((w.count + w.chunk - 1) / w.chunk),
                static_cast<unsigned>(parts));
}

//! Makes what the kernels of a call are given: wavenumbers are on the GPU, and visibilities
//! divided into chunks.
class work_maker
{
public:
    explicit work_maker(const cuda_context& c) : d_context(c), d_staging(c, 1 << 16) {}

    //! Chunks are short enough for some rounds of blocks on all multiprocessors.
    convolver_work make(const w_geometry& g,
                        const visibility_rows& at,
                        std::size_t rounds,
                        const float2* table,
                        unsigned long long* updates)
    {
        constexpr std::size_t least = 256, maximum = 8192;
        d_context.use();
        if (d_waves.size() < at.channels) {
            d_waves = cuda_array<double>(d_context, at.channels);
        }
        std::vector<double> waves;
        for (std::size_t c = 0; c < at.channels; c++) {
            waves.push_back(at.frequencies[c] / speed_of_light);
        }
        d_staging.copy(d_waves.data(), waves.data(), waves.size() * sizeof(waves[0]));
        convolver_work w;
        w.g = g;
        w.table = table;
        w.uvw = at.uvw;
        w.waves = d_waves.data();
        w.channels = static_cast<unsigned>(at.channels);
        w.count = at.rows * at.channels;
        w.chunk = std::clamp(
            w.count / (rounds * std::size_t(d_context.multiprocessors)), least, maximum);
        w.updates = updates;
        return w;
    }

private:
    const cuda_context& d_context;
    cuda_array<double> d_waves;
    staging d_staging;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_CUDA_CHUNKS_H */
