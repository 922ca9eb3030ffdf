/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/cuda/chunks.h"
#include "kernels/gridder/wprojection/cuda/convolver.h"
#include "kernels/gridder/wprojection/cuda/gather.cuh"
#include "kernels/gridder/wprojection/cuda/spread.cuh"
#include "kernels/gridder/wprojection/device.h"

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t rounds = 16;

//! Threads and sets of points for each thread; what is left of the support are parts.
template <int Support>
struct shape {
    static constexpr int spread_threads = Support == 8 ? 64 : 256;
    static constexpr int spread_cells = Support >= 32 ? 4 : 1;
    static constexpr int spread_parts =
        Support * Support / (spread_threads * spread_cells);
    static constexpr int gather_threads = Support <= 16 ? 32 : Support == 32 ? 128 : 256;
    static constexpr int gather_cells = Support == 8 ? 2 : 8;
    static constexpr int gather_parts =
        Support * Support / (gather_threads * gather_cells);
};

class cuda_convolver : public counted_convolver
{
public:
    cuda_convolver(const cuda_context& c, const w_kernels& k, std::size_t polarizations)
        : counted_convolver(k.geometry(), polarizations),
          d_context(c),
          d_table(c, k.table().size()),
          d_work(c)
    {
        const std::uint32_t s = d_g.support;
        if (s != 8 && s != 16 && s != 32 && s != 64 && s != 128) {
            throw device_error("cuda: the gridder's support is " + std::to_string(s) +
                               "; GPUs take 8, 16, 32, 64 or 128");
        }
        check_cuda(cudaMemcpy(d_table.data(),
                              k.table().data(),
                              d_table.bytes(),
                              cudaMemcpyHostToDevice),
                   "copying kernels");
    }

    void count_updates(unsigned long long* updates) override { d_updates = updates; }

    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        const convolver_work w = work(at);
        if (w.count > 0) {
            by_support(d_g.support, [&](auto support) {
                by_polarizations(
                    [&](auto pols) { launch_spread<support, pols>(w, values, grid); });
            });
        }
    }

    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        const convolver_work w = work(at);
        if (w.count > 0) {
            check_cuda(cudaMemsetAsync(values,
                                       0,
                                       w.count * d_polarizations * sizeof(*values),
                                       d_context.compute),
                       "clearing visibilities");
            by_support(d_g.support, [&](auto support) {
                by_polarizations(
                    [&](auto pols) { launch_gather<support, pols>(w, grid, values); });
            });
        }
    }

private:
    template <int N>
    using number = std::integral_constant<int, N>;

    template <class F>
    void by_polarizations(const F& f) const
    {
        switch (d_polarizations) {
        case 1:
            return f(number<1>());
        case 2:
            return f(number<2>());
        default:
            return f(number<4>());
        }
    }

    template <int Support, int Pols>
    void launch_spread(const convolver_work& w,
                       const std::complex<float>* values,
                       std::complex<float>* grid)
    {
        using s = shape<Support>;
        const dim3 blocks = blocks_of(w, s::spread_parts);
        const auto from = reinterpret_cast<const float2*>(values);
        const auto to = reinterpret_cast<float2*>(grid);
        if (d_g.margin > 0) {
            spread_kernel<Support, Pols, s::spread_threads, s::spread_cells, true>
                <<<blocks, s::spread_threads, 0, d_context.compute>>>(w, from, to);
        } else {
            spread_kernel<Support, Pols, s::spread_threads, s::spread_cells, false>
                <<<blocks, s::spread_threads, 0, d_context.compute>>>(w, from, to);
        }
        check_launch("spread_kernel");
    }

    template <int Support, int Pols>
    void launch_gather(const convolver_work& w,
                       const std::complex<float>* grid,
                       std::complex<float>* values)
    {
        using s = shape<Support>;
        const dim3 blocks = blocks_of(w, s::gather_parts);
        const auto from = reinterpret_cast<const float2*>(grid);
        const auto to = reinterpret_cast<float2*>(values);
        if (d_g.margin > 0) {
            gather_kernel<Support, Pols, s::gather_threads, s::gather_cells, true>
                <<<blocks, s::gather_threads, 0, d_context.compute>>>(w, from, to);
        } else {
            gather_kernel<Support, Pols, s::gather_threads, s::gather_cells, false>
                <<<blocks, s::gather_threads, 0, d_context.compute>>>(w, from, to);
        }
        check_launch("gather_kernel");
    }

    convolver_work work(const visibility_rows& at)
    {
        const auto table = reinterpret_cast<const float2*>(d_table.data());
        return d_work.make(d_g, at, rounds, table, d_updates);
    }

    const cuda_context& d_context;
    const cuda_array<std::complex<float>> d_table;
    work_maker d_work;
    unsigned long long* d_updates = nullptr;
};

const bool registered = convolver_factory().set(
    [](std::size_t index, const w_kernels& k, const convolver_params& p) {
        const cuda_context& c = context_of(index);
        auto made =
            p.half_precision ? make_tensor_convolver(c, k, p.polarizations) : nullptr;
        if (!made) {
            made = make_cuda_convolver(c, k, p.polarizations);
        }
        return std::unique_ptr<convolver>(std::move(made));
    });
const bool registered_for_host = projector_factory().set(
    [](std::size_t index, const w_kernels& k, const gridder_params& p) {
        return make_device_projector(device_of(index), k, p);
    });

} // namespace

std::unique_ptr<counted_convolver>
make_cuda_convolver(const cuda_context& c, const w_kernels& k, std::size_t polarizations)
{
    return std::make_unique<cuda_convolver>(c, k, polarizations);
}

} // namespace gr::fringe::kernels
