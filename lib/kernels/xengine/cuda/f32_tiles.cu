/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/f32_engines.h"
#include "kernels/xengine/cuda/f32_tiles_kernel.cuh"
#include "kernels/xengine/cuda/f32_tiles_read.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using namespace f32_tiles;

class cuda_xengine_f32_tiles : public f32_sums_engine<f32_layout>
{
public:
    cuda_xengine_f32_tiles(const cuda_context& c, const xengine_params& p)
        : f32_sums_engine(c, p, {p.inputs, p.channels}, slices(c, p))
    {
        c.use();
        check_cuda(cudaFuncSetAttribute(f32_tiles_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes),
                   "asking for shared memory");
    }

private:
    void multiply(const cuda_context& c, const tile_work& w) const override
    {
        const dim3 blocks(static_cast<unsigned>(block_count(w.layout)), w.slices);
        f32_tiles_kernel<<<blocks, f32_layout::square_threads, shared_bytes, c.compute>>>(
            w);
    }
    static std::size_t block_count(const f32_layout& l)
    {
        return l.channels * l.squares() + (l.channels * l.tiles() + 1) / 2;
    }
    static std::size_t slices(const cuda_context& c, const xengine_params& p)
    {
        const std::size_t blocks = block_count({p.inputs, p.channels});
        const std::size_t wanted = 2 * c.multiprocessors / blocks;
        const std::size_t maximum = p.block_spectra / (4 * steps * stages_of_chain);
        return std::min({wanted, maximum, std::size_t(64)});
    }
};

} // namespace

std::unique_ptr<xengine> make_cuda_xengine_f32_tiles(const cuda_context& c,
                                                     const xengine_params& p)
{
    return std::make_unique<cuda_xengine_f32_tiles>(c, p);
}

} // namespace gr::fringe::kernels
