/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_SUMS_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_SUMS_CUH

#include "kernels/cuda/context.h"
#include "kernels/xengine/backends.h"
#include <algorithm>

namespace gr::fringe::kernels {

//! What a kernel of the float32 X-engine works on: spectra from the first one on, sums of all
//! slices of time. A layout says who computes which product and where its sum is kept.
template <class Layout>
struct f32_work {
    Layout layout;
    const float2* spectra;
    std::size_t stride; //!< spectra between rows
    unsigned count;     //!< spectra
    unsigned slice;     //!< of them, those of a slice
    unsigned slices;
    float4* sums; //!< [slice][layout.size()]
};

//! A thread has a product (i, j): x: j, y: i, z: channels. sum_of(layout, sums, channel, i, j)
//! is its sum in one slice.
template <class Layout>
__global__ void f32_read(Layout l,
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
        double re = 0, im = 0;
        for (unsigned slice = 0; slice < slices; slice++) {
            const float2 v = sum_of(l, sums + slice * l.size(), first + c, i, j);
            re += v.x;
            im += v.y;
        }
        out[c * products + product] =
            make_float2(static_cast<float>(re), i == j ? 0 : static_cast<float>(im));
    }
}

//! An X-engine of float32 whose sums stay in the order in which its kernel holds them.
template <class Layout>
class f32_sums_engine : public xengine
{
public:
    //! slices: of time, with sums of their own. Few channels leave most of the GPU idle otherwise.
    f32_sums_engine(const cuda_context& c,
                    const xengine_params& p,
                    const Layout& layout,
                    std::size_t slices)
        : d_context(c),
          d_p(p),
          d_layout(layout),
          d_slices(static_cast<unsigned>(std::max<std::size_t>(slices, 1))),
          d_sums(c, d_slices * d_layout.size())
    {
        f32_sums_engine::clear();
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (count == 0) {
            return;
        }
        d_context.use();
        constexpr std::size_t step = 8; // slices are whole steps of the kernels
        f32_work<Layout> w;
        w.layout = d_layout;
        w.spectra = static_cast<const float2*>(spectra) + first;
        w.stride = d_p.block_spectra;
        w.count = static_cast<unsigned>(count);
        w.slice = static_cast<unsigned>(((count + d_slices - 1) / d_slices + step - 1) /
                                        step * step);
        w.slices = d_slices;
        w.sums = d_sums.data();
        multiply(d_context, w);
        check_launch("X-engine of float32");
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
        f32_read<<<blocks, 128, 0, d_context.compute>>>(
            d_layout, d_sums.data(), d_slices, first, count, static_cast<float2*>(out));
        check_launch("X-engine of float32: reading");
    }

    void clear() override
    {
        d_context.use();
        check_cuda(cudaMemsetAsync(d_sums.data(), 0, d_sums.bytes(), d_context.compute),
                   "clearing sums");
    }

private:
    //! Enqueues the kernel.
    virtual void multiply(const cuda_context& c, const f32_work<Layout>& w) const = 0;

    const cuda_context& d_context;
    const xengine_params d_p;
    const Layout d_layout;
    const unsigned d_slices;
    const cuda_array<float4> d_sums;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_SUMS_CUH */
