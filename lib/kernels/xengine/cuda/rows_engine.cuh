/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_ENGINE_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_ENGINE_CUH

#include "kernels/cuda/context.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/cuda/rows_kernel.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

//! The X-engine of rows_kernel.cuh. S: samples; Wide: what slices are added up in.
template <class S, class Wide>
class cuda_xengine_rows : public xengine
{
public:
    cuda_xengine_rows(const cuda_context& c, const xengine_params& p)
        : d_context(c),
          d_p(p),
          d_slices(slices(c, p)),
          d_sums(c, 2 * d_slices * p.channels * baselines(p.inputs))
    {
        clear();
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if constexpr (S::corrects) { // integers
            check_exact(d_spectra + count);
            d_spectra += count;
        }
        if (count == 0) {
            return;
        }
        d_context.use();
        rows_work<S> w;
        w.spectra = static_cast<const typename S::sample*>(spectra) + first;
        w.stride = d_p.block_spectra;
        w.channels = d_p.channels;
        w.inputs = static_cast<unsigned>(d_p.inputs);
        w.count = static_cast<unsigned>(count);
        w.slices = d_slices;
        w.slice = static_cast<unsigned>((count + d_slices - 1) / d_slices + 31) / 32 * 32;
        w.aligned = reinterpret_cast<std::uintptr_t>(w.spectra) %
                            (S::width * sizeof(typename S::sample)) ==
                        0 &&
                    w.stride % S::width == 0;
        w.sums = d_sums.data();
        switch (d_p.inputs) {
        case 1:
            return few<1>(w);
        case 2:
            return few<2>(w);
        case 3:
            return few<3>(w);
        case 4:
            return few<4>(w);
        case 5:
            return few<5>(w);
        case 6:
            return few<6>(w);
        case 7:
            return few<7>(w);
        case 8:
            return few<8>(w);
        default:
            return many(w);
        }
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        const std::size_t blocks = (count * baselines(d_p.inputs) + 255) / 256;
        rows_read<typename S::sum, Wide>
            <<<static_cast<unsigned>(std::min<std::size_t>(blocks, 1 << 20)),
               256,
               0,
               d_context.compute>>>(d_sums.data(),
                                    d_slices,
                                    d_p.channels,
                                    static_cast<unsigned>(d_p.inputs),
                                    first,
                                    count,
                                    static_cast<typename S::sum*>(out));
        check_launch("rows_read");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
        d_spectra = 0;
    }

private:
    template <unsigned inputs>
    void few(const rows_work<S>& w)
    {
        const std::size_t blocks = (w.channels * w.slices + 3) / 4;
        rows_few_kernel<S, inputs>
            <<<static_cast<unsigned>(blocks), 128, 0, d_context.compute>>>(w);
        check_launch("rows_few_kernel");
    }
    void many(const rows_work<S>& w)
    {
        // 4 parts fill the registers of a GPU well; more parts are more than memory has
        // to give: then many warps count, and what they share.
        const unsigned parts = rows_parts(w.inputs);
        const unsigned warps = parts <= 4 ? 4 : std::min(parts, 16u);
        const std::size_t blocks = w.channels * w.slices * ((parts + warps - 1) / warps);
        const auto kernel =
            parts <= 4 ? rows_many_kernel<S, 128> : rows_many_kernel<S, 512>;
        kernel<<<static_cast<unsigned>(blocks), 32 * warps, 0, d_context.compute>>>(
            w, parts);
        check_launch("rows_many_kernel");
    }

    //! Few channels leave most of the GPU idle: then time is cut into slices with sums of
    //! their own.
    static unsigned slices(const cuda_context& c, const xengine_params& p)
    {
        const std::size_t warps =
            p.channels * rows_parts(static_cast<unsigned>(p.inputs));
        const std::size_t wanted = 32 * c.multiprocessors / warps;
        const std::size_t maximum = p.block_spectra / (8 * 32 * S::width);
        return static_cast<unsigned>(
            std::max<std::size_t>(1, std::min({wanted, maximum, std::size_t(1024)})));
    }

    const cuda_context& d_context;
    const xengine_params d_p;
    const unsigned d_slices;
    const cuda_array<typename S::sum> d_sums;
    std::size_t d_spectra = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_ENGINE_CUH */
