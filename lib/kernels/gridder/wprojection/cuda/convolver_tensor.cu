/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/staging.h"
#include "kernels/gridder/wprojection/cuda/chunks.h"
#include "kernels/gridder/wprojection/cuda/convolver.h"
#include "kernels/gridder/wprojection/cuda/tensor_gather.cuh"
#include "kernels/gridder/wprojection/cuda/tensor_spread.cuh"
#include "kernels/gridder/wprojection/separable_table.h"

namespace gr::fringe::kernels {

namespace {

//! Blocks that a multiprocessor does one after the other: the more of them there are at a time,
//! the shorter are their chunks.
constexpr std::size_t rounds_of(int warps)
{
    return warps == 1 ? 256 : warps < 6 ? 128 : 32;
}

class tensor_convolver : public counted_convolver
{
public:
    tensor_convolver(const cuda_context& c, const w_kernels& k, const separable_table& t)
        : counted_convolver(k.geometry(), tensor::polarizations),
          d_context(c),
          d_u(c, t.u.size()),
          d_v(c, t.v.size() * (k.geometry().margin > 0 ? 1 : 2)),
          d_work(c)
    {
        copy(t.u, d_u);
        copy(k.geometry().margin > 0 ? t.v : rows_of_matrices(t.v), d_v);
    }

    void count_updates(unsigned long long* updates) override { d_updates = updates; }

    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        by_support(d_g.support, [&](auto support) {
            const convolver_work w = d_work.make(
                d_g, at, rounds_of(tensor_shape<support>::warps), nullptr, d_updates);
            if (w.count > 0) {
                launch_spread<support>(w, values, grid);
            }
        });
    }

    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        by_support(d_g.support, [&](auto support) {
            const convolver_work w = d_work.make(
                d_g, at, rounds_of(gather_shape<support>::warps), nullptr, nullptr);
            if (w.count > 0) {
                launch_gather<support>(w, grid, values);
            }
        });
    }

private:
    //! See tensor_tables.
    static std::vector<std::complex<float>>
    rows_of_matrices(const std::vector<std::complex<float>>& kernels)
    {
        std::vector<std::complex<float>> rows;
        for (const auto& x : kernels) {
            rows.emplace_back(x.real(), -x.imag());
            rows.emplace_back(x.imag(), x.real());
        }
        return rows;
    }
    static void copy(const std::vector<std::complex<float>>& table,
                     const cuda_array<__half2>& there)
    {
        std::vector<__half2> halves;
        for (const auto& x : table) {
            halves.push_back(__floats2half2_rn(x.real(), x.imag()));
        }
        check_cuda(
            cudaMemcpy(
                there.data(), halves.data(), there.bytes(), cudaMemcpyHostToDevice),
            "copying kernels");
    }

    tensor_tables tables() const { return {d_u.data(), d_v.data()}; }

    template <int Support>
    void launch_spread(const convolver_work& w,
                       const std::complex<float>* values,
                       std::complex<float>* grid)
    {
        using s = tensor_shape<Support>;
        const auto from = reinterpret_cast<const float2*>(values);
        const auto to = reinterpret_cast<float2*>(grid);
        if (d_g.margin > 0) {
            tensor_spread_kernel<Support, true>
                <<<blocks_of(w, s::parts), 32 * s::warps, 0, d_context.compute>>>(
                    w, tables(), from, to);
        } else {
            tensor_spread_kernel<Support, false>
                <<<blocks_of(w, s::parts), 32 * s::warps, 0, d_context.compute>>>(
                    w, tables(), from, to);
        }
        check_launch("tensor_spread_kernel");
    }

    template <int Support>
    void launch_gather(const convolver_work& w,
                       const std::complex<float>* grid,
                       std::complex<float>* values)
    {
        using s = gather_shape<Support>;
        const auto from = reinterpret_cast<const float2*>(grid);
        const auto to = reinterpret_cast<float2*>(values);
        if (s::parts > 1) { // whose sums are added to memory
            check_cuda(
                cudaMemsetAsync(
                    to, 0, w.count * d_polarizations * sizeof(*to), d_context.compute),
                "clearing visibilities");
        }
        if (d_g.margin > 0) {
            tensor_gather_kernel<Support, true>
                <<<blocks_of(w, s::parts), 32 * s::warps, 0, d_context.compute>>>(
                    w, tables(), from, to);
        } else {
            tensor_gather_kernel<Support, false>
                <<<blocks_of(w, s::parts), 32 * s::warps, 0, d_context.compute>>>(
                    w, tables(), from, to);
        }
        check_launch("tensor_gather_kernel");
    }

    const cuda_context& d_context;
    const cuda_array<__half2> d_u, d_v;
    work_maker d_work;
    unsigned long long* d_updates = nullptr;
};

} // namespace

std::unique_ptr<counted_convolver> make_tensor_convolver(const cuda_context& c,
                                                         const w_kernels& k,
                                                         std::size_t polarizations)
{
    const separable_table table(k);
    const bool serves = c.capability >= 75 && polarizations == tensor::polarizations &&
                        table.error <= largest_separable_error;
    if (!serves) {
        return nullptr;
    }
    return std::make_unique<tensor_convolver>(c, k, table);
}

} // namespace gr::fringe::kernels
