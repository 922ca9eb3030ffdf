/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/fused_finish.cuh"
#include "kernels/channelizer/cuda/turns.h"

namespace gr::fringe::kernels {

namespace {

//! blockIdx: x strips, y inputs.
template <class P, bool Real, bool Varies>
__global__ void __launch_bounds__(P::threads, P::Blocks)
    fused(const finish_call f, const float2* __restrict__ turns)
{
    extern __shared__ float2 shared_points[];
    constexpr int S = P::S;
    const unsigned slot = threadIdx.x / P::lanes, t = threadIdx.x % P::lanes;
    float2* points = shared_points + slot * P::buffer;
    const strips pairs{
        reinterpret_cast<std::uint32_t*>(shared_points + P::at_once * P::buffer),
        P::pitch};
    const unsigned input = f.first_input + blockIdx.y, s0 = f.first + blockIdx.x * S;
    const bool present = input < f.block.inputs;
    const bool conjugate = present && f.conjugate[input];
    const float2* corrections =
        f.corrections && present ? f.corrections + input * f.block.channels : nullptr;
    finisher<P, Real, Varies> finish{f, pairs, corrections, conjugate};
    const bool empty = !present || s0 >= f.spectra;
    for (unsigned n = threadIdx.x; empty && n < P::pitch * S / 2; n += P::threads) {
        pairs.words[n] = 0;
    }
    const float2* in = f.in + (std::size_t(blockIdx.y) * f.rows + s0 - f.first) * P::C;
    for (unsigned s = slot; !empty && s < S; s += P::at_once) {
        if (threadIdx.x == 0 && s0 + s + 2 * P::at_once <= f.spectra) {
            prefetch(in + (s + P::at_once) * P::C, P::at_once * P::C * sizeof(float2));
        }
        if constexpr (Varies) {
            finish.begin(input, s0 + s);
        }
        float2 x[P::E];
        transform<P>(s0 + s < f.spectra ? in + s * P::C : nullptr,
                     points,
                     turns,
                     t,
                     x,
                     [=](int g) { return item_of<P>(t, g); });
        if constexpr (P::paired) {
            finish.put_all(s, t, x);
        } else {
            finish.put_all(s, t, points);
            wait<P>();
        }
    }
    __syncthreads();
    store_strip<S>(
        f, pairs, P::C, [](unsigned local) { return int(local); }, input, s0);
    count_clipped(f, input, finish.clipped);
}

template <class P, bool Real, bool Varies>
void launch(const cuda_context& c, const finish_call& f, const float2* turns)
{
    const auto kernel = fused<P, Real, Varies>;
    check_cuda(cudaFuncSetAttribute(kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(P::shared_bytes)),
               "channelizer: shared memory");
    const dim3 grid((f.last - f.first + P::S - 1) / P::S, f.inputs);
    kernel<<<grid, P::threads, P::shared_bytes, c.compute>>>(f, turns);
    check_launch("channelizer: fused");
}

template <class P, bool Real>
void launch(const cuda_context& c, const finish_call& f, const float2* turns)
{
    f.varies() ? launch<P, Real, true>(c, f, turns) : launch<P, Real, false>(c, f, turns);
}

} // namespace

bool fused_transform::fits(const cuda_context& c, std::size_t points)
{
    return with_plan(points, [&](auto p) {
        // 1 kB is the system's, and a little is static.
        return decltype(p)::shared_bytes + 64 <= c.shared_bytes;
    });
}

fused_transform::fused_transform(const cuda_context& c, std::size_t points)
{
    with_plan(points, [&](auto p) {
        d_turns = uploaded(c, turns_of_passes<decltype(p)>());
        return true;
    });
}

void fused_transform::launch(const cuda_context& c, const finish_call& f) const
{
    with_plan(f.block.channels, [&](auto p) {
        using P = decltype(p);
        f.complex_samples ? kernels::launch<P, false>(c, f, d_turns.data())
                          : kernels::launch<P, true>(c, f, d_turns.data());
        return true;
    });
}

} // namespace gr::fringe::kernels
