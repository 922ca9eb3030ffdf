/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/backends.h"
#include "kernels/xengine/cuda/f32_engines.h"
#include "kernels/xengine/cuda/f32_tensor_kernel.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

using namespace f32_tensor;

//! A thread has a product (i, j): x: j, y: i, z: channels.
__global__ void f32_tensor_read(f32_tensor_layout l,
                                const float4* sums,
                                unsigned slices,
                                std::size_t first,
                                std::size_t count,
                                float2* out)
{
    const unsigned i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= l.inputs || j < i) {
        return;
    }
    const std::size_t products = l.inputs * (l.inputs + 1) / 2;
    const std::size_t product = i * l.inputs - std::size_t(i) * (i + 1) / 2 + j;
    for (std::size_t c = blockIdx.z; c < count; c += gridDim.z) {
        const float4* from = sums + l.at(first + c, i, j);
        double re = 0, im = 0;
        for (unsigned slice = 0; slice < slices; slice++, from += l.size()) {
            const float4 two = *from;
            re += j % 2 ? two.y : two.x;
            im += j % 2 ? two.w : two.z;
        }
        out[c * products + product] =
            make_float2(static_cast<float>(re), i == j ? 0 : static_cast<float>(im));
    }
}

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
    return std::min({4u, 5u, 3u},
                    [&](unsigned a, unsigned b) { return work(a) < work(b); });
}

class cuda_xengine_f32_tensor : public xengine
{
public:
    cuda_xengine_f32_tensor(const cuda_context& c, const xengine_params& p)
        : d_context(c),
          d_p(p),
          d_layout{p.inputs, p.channels, best_cells(p.inputs)},
          d_slices(slices(c, p, d_layout)),
          d_sums(c, d_slices * d_layout.size())
    {
        clear();
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        tensor_work w;
        w.layout = d_layout;
        w.spectra = static_cast<const float2*>(spectra) + first;
        w.stride = d_p.block_spectra;
        w.count = static_cast<unsigned>(count);
        w.slices = d_slices;
        w.slice = static_cast<unsigned>((count + d_slices - 1) / d_slices + step - 1) /
                  step * step;
        w.aligned = reinterpret_cast<std::uintptr_t>(w.spectra) % sizeof(float4) == 0 &&
                    w.stride % 2 == 0;
        w.sums = d_sums.data();
        const std::size_t units = w.layout.channels * w.slices;
        const unsigned parts = d_layout.parts();
        with_cells(d_layout.cells, [&](auto cells) {
            if (parts == 1) {
                f32_tensor_few<cells()><<<static_cast<unsigned>((units + 3) / 4),
                                          128,
                                          0,
                                          d_context.compute>>>(w);
            } else if constexpr (cells() > 2) {
                const unsigned each = (parts + max_warps - 1) / max_warps;
                const unsigned warps = (parts + each - 1) / each;
                const std::size_t blocks = units * each;
                f32_tensor_many<cells()>
                    <<<static_cast<unsigned>(blocks), 32 * warps, 0, d_context.compute>>>(
                        w);
            }
        });
        check_launch("f32_tensor");
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
        f32_tensor_read<<<blocks, 128, 0, d_context.compute>>>(
            d_layout, d_sums.data(), d_slices, first, count, static_cast<float2*>(out));
        check_launch("f32_tensor_read");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
    }

private:
    //! Few channels leave most of the GPU idle: then time is cut into slices with sums of
    //! their own.
    static unsigned
    slices(const cuda_context& c, const xengine_params& p, const f32_tensor_layout& l)
    {
        const std::size_t warps = p.channels * l.parts();
        const std::size_t wanted = 48 * c.multiprocessors / warps;
        const std::size_t most = p.block_spectra / (step * steps_of_chain);
        return static_cast<unsigned>(
            std::max<std::size_t>(1, std::min({wanted, most, std::size_t(1024)})));
    }

    const cuda_context& d_context;
    const xengine_params d_p;
    const f32_tensor_layout d_layout;
    const unsigned d_slices;
    const cuda_array<float4> d_sums;
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
    return std::make_unique<cuda_xengine_f32_tensor>(c, p);
}

} // namespace gr::fringe::kernels
