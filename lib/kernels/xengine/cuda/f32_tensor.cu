/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/f32_engines.h"
#include "kernels/xengine/cuda/f32_tensor_kernel.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using namespace f32_tensor;

//! Calls use(integral constant) with the cells of a group, 2 to 5.
template <class Use>
void with_cells(unsigned cells, Use use)
{
    switch (cells) {
    case 2:
        return use(std::integral_constant<int, 2>());
    case 3:
        return use(std::integral_constant<int, 3>());
    case 4:
        return use(std::integral_constant<int, 4>());
    default:
        return use(std::integral_constant<int, 5>());
    }
}

//! The groups that leave the least work to inputs that are none.
unsigned best_cells(std::size_t inputs)
{
    const auto all = static_cast<unsigned>((inputs + 7) / 8);
    if (all <= 5) {
        return std::max(all, 2u);
    }
    const auto work = [&](unsigned cells) {
        const f32_tensor_layout l{inputs, 1, cells};
        return l.channel_size();
    };
    return std::min({4u, 3u, 5u},
                    [&](unsigned a, unsigned b) { return work(a) < work(b); });
}

class cuda_xengine_f32_tensor : public f32_sums_engine<f32_tensor_layout>
{
public:
    cuda_xengine_f32_tensor(const cuda_context& c,
                            const xengine_params& p,
                            const f32_tensor_layout& l)
        : f32_sums_engine(c, p, l, slices(c, p, l))
    {
    }

private:
    void multiply(const cuda_context& c, const tensor_work& w) const override
    {
        const std::size_t units = w.layout.channels * w.slices;
        const unsigned parts = w.layout.parts();
        with_cells(w.layout.cells, [&](auto cells) {
            if (parts == 1) {
                f32_tensor_few<cells()>
                    <<<static_cast<unsigned>((units + 3) / 4), 128, 0, c.compute>>>(w);
            } else if constexpr (cells() > 2) {
                const unsigned warps = parts < max_warps ? 4 : max_warps;
                const std::size_t blocks = (units * parts + warps - 1) / warps;
                f32_tensor_many<cells()>
                    <<<static_cast<unsigned>(blocks), 32 * warps, 0, c.compute>>>(w);
            }
        });
    }
    static std::size_t
    slices(const cuda_context& c, const xengine_params& p, const f32_tensor_layout& l)
    {
        const std::size_t warps = p.channels * l.parts();
        const std::size_t wanted = 48 * c.multiprocessors / warps;
        const std::size_t maximum = p.block_spectra / (step * steps_of_chain);
        return std::min({wanted, maximum, std::size_t(1024)});
    }
};

} // namespace

bool f32_tensor_cores_pay(const cuda_context& c)
{
    const auto pays = {80, 90, 100, 103};
    if (std::find(pays.begin(), pays.end(), c.capability) == pays.end()) {
        return false;
    }
    c.use();
    cudaFuncAttributes code{};
    check_cuda(cudaFuncGetAttributes(&code, f32_tensor_few<2>),
               "asking for the code in use");
    return code.ptxVersion >= 80;
}

std::unique_ptr<xengine> make_cuda_xengine_f32_tensor(const cuda_context& c,
                                                      const xengine_params& p)
{
    const f32_tensor_layout layout{p.inputs, p.channels, best_cells(p.inputs)};
    return std::make_unique<cuda_xengine_f32_tensor>(c, p, layout);
}

} // namespace gr::fringe::kernels
