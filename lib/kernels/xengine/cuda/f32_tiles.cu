/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/backends.h"
#include "kernels/xengine/cuda/f32_engines.h"
#include "kernels/xengine/cuda/f32_tiles_kernel.cuh"
#include "kernels/xengine/cuda/f32_tiles_read.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using namespace f32_tiles;

class cuda_xengine_f32_tiles : public xengine
{
public:
    cuda_xengine_f32_tiles(const cuda_context& c, const xengine_params& p)
        : d_context(c),
          d_p(p),
          d_layout{p.inputs, p.channels},
          d_slices(slices(c, p)),
          d_sums(c, d_slices * d_layout.size())
    {
        c.use();
        check_cuda(cudaFuncSetAttribute(f32_tiles_kernel,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes),
                   "asking for shared memory");
        clear();
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        tile_work w;
        w.layout = d_layout;
        w.spectra = static_cast<const float2*>(spectra) + first;
        w.stride = d_p.block_spectra;
        w.count = static_cast<unsigned>(count);
        w.slice = static_cast<unsigned>((count + d_slices - 1) / d_slices + steps - 1) /
                  steps * steps;
        w.sums = d_sums.data();
        const dim3 blocks(static_cast<unsigned>(block_count(d_layout)), d_slices);
        f32_tiles_kernel<<<blocks,
                           f32_layout::square_threads,
                           shared_bytes,
                           d_context.compute>>>(w);
        check_launch("f32_tiles_kernel");
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        const auto n = static_cast<unsigned>(d_p.inputs);
        const dim3 blocks((n + 127) / 128, n, std::min<std::size_t>(count, 65535));
        f32_tiles_read<<<blocks, 128, 0, d_context.compute>>>(
            d_layout, d_sums.data(), d_slices, first, count, static_cast<float2*>(out));
        check_launch("f32_tiles_read");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
    }

private:
    static std::size_t block_count(const f32_layout& l)
    {
        return l.channels * l.squares() + (l.channels * l.tiles() + 1) / 2;
    }
    //! Few blocks leave most of the GPU idle: then time is cut into slices with sums of
    //! their own.
    static unsigned slices(const cuda_context& c, const xengine_params& p)
    {
        const std::size_t blocks = block_count({p.inputs, p.channels});
        const std::size_t wanted = 2 * c.multiprocessors / blocks;
        const std::size_t most = p.block_spectra / (4 * steps * stages_of_chain);
        return static_cast<unsigned>(
            std::max<std::size_t>(1, std::min({wanted, most, std::size_t(64)})));
    }

    const cuda_context& d_context;
    const xengine_params d_p;
    const f32_layout d_layout;
    const unsigned d_slices;
    const cuda_array<float4> d_sums;
};

} // namespace

std::unique_ptr<xengine> make_cuda_xengine_f32_tiles(const cuda_context& c,
                                                     const xengine_params& p)
{
    return std::make_unique<cuda_xengine_f32_tiles>(c, p);
}

} // namespace gr::fringe::kernels
