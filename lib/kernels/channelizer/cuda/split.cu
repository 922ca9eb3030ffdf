/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/split.h"
#include "kernels/channelizer/cuda/split_finish.cuh"
#include "kernels/channelizer/cuda/turns.h"

namespace gr::fringe::kernels {

namespace {

// Two blocks of threads on a multiprocessor: one reads while the other one writes. Of the
// longest transforms there is room for one, as more than 32 parts would cost the filter too
// much.
using plan_of_few = plan<8, 16, 4, 16, 32, 256, 2>;
using plan_of_many = plan<16, 16, 4, 16, 32, 512, 1>;

//! Calls use(plan, parts) for this number of points, if they are split.
template <class Use>
bool with_split(std::size_t points, Use use)
{
    switch (points) {
    case 4096:
        return use(plan_of_few(), 8u);
    case 8192:
        return use(plan_of_few(), 16u);
    case 16384:
        return use(plan_of_many(), 16u);
    case 32768:
        return use(plan_of_many(), 32u);
    }
    return false;
}

//! Words of a strip of both parts.
template <class P>
constexpr unsigned pitch_of = 2 * P::C + 2;
template <class P>
constexpr std::size_t shared_bytes =
    (P::at_once * P::buffer + 2 * P::C) * sizeof(float2) + pitch_of<P>* P::S * 2;

//! Keeps the compiler from working something out, or reading it, before a loop: there are no
//! registers to keep it in.
template <class T>
__device__ T in_loop(T value)
{
    if constexpr (sizeof(T) == 8) {
        asm volatile("" : "+l"(value));
    } else {
        asm volatile("" : "+r"(value));
    }
    return value;
}

//! Both parts of the spectra of a strip, to `pairs`. Returns how many values were clipped.
template <class P, bool Real, bool Varies, bool Alone>
__device__ unsigned fill_strip(const finish_call& f,
                               const strips& pairs,
                               const split_parts<P>& parts,
                               const float2* factors,
                               const float2* turns,
                               const float2* half_turns,
                               unsigned strip)
{
    extern __shared__ float2 shared_points[];
    const unsigned slot = threadIdx.x / P::lanes, t = threadIdx.x % P::lanes;
    float2* const points = shared_points + slot * P::buffer;
    const unsigned input = f.first_input + blockIdx.y, s0 = f.first + blockIdx.x * strip;
    split_finisher<P, Real, Varies, Alone> finish{
        f, pairs, parts, factors, half_turns, input, 0};
    const std::size_t channels = f.block.channels;
    const float2* row =
        f.in + (std::size_t(blockIdx.y) * f.rows + s0 - f.first + slot) * channels;
    const unsigned first = parts.first * P::C, second = parts.second * P::C;
    for (unsigned s = slot; s < strip; s += P::at_once, row += P::at_once * channels) {
        if (t == 0 && s + P::at_once < strip && s0 + s + P::at_once < f.spectra) {
            const float2* const next = row + P::at_once * channels;
            prefetch(next + first, P::C * sizeof(float2));
            prefetch(next + second, P::C * sizeof(float2));
        }
        finish.t = in_loop(static_cast<int>(t));
        finish.half_turns = in_loop(half_turns);
        if constexpr (Varies) {
            finish.begin(s0 + s);
        }
        const bool there = s0 + s < f.spectra;
        float2 x[P::E], y[P::E];
        transform<P>(
            there ? row + first : nullptr, points, in_loop(turns), t, x, [&](int g) {
                return finish.item(0, g);
            });
        transform<P>(
            there ? row + second : nullptr, points, in_loop(turns), t, y, [&](int g) {
                return finish.item(1, g);
            });
        finish.put_all(s, x, y);
    }
    return finish.clipped;
}

//! blockIdx: x strips of 16 or 32 spectra, y inputs, z pairs of parts.
template <class P, bool Real, bool Varies>
__global__ void __launch_bounds__(P::threads, P::Blocks)
    split(const finish_call f,
          const float2* __restrict__ turns,
          const float2* __restrict__ half_turns,
          const unsigned strip)
{
    extern __shared__ float2 shared_points[];
    constexpr unsigned pitch = pitch_of<P>;
    float2* const factors = shared_points + P::at_once * P::buffer;
    const strips pairs{reinterpret_cast<std::uint32_t*>(factors + 2 * P::C), pitch};
    const unsigned input = f.first_input + blockIdx.y, s0 = f.first + blockIdx.x * strip;
    const bool present = input < f.block.inputs;
    const bool corrects = present && f.corrections;
    const split_parts<P> parts(f, blockIdx.z, Real, present && f.conjugate[input]);
    for (unsigned n = threadIdx.x; corrects && n < 2 * P::C; n += P::threads) {
        factors[n] =
            f.corrections[input * f.block.channels + parts.channel(static_cast<int>(n))];
    }
    const bool empty = !present || s0 >= f.spectra;
    for (unsigned n = threadIdx.x; empty && n < pitch * strip / 2; n += P::threads) {
        pairs.words[n] = 0;
    }
    __syncthreads();
    unsigned clipped = 0;
    if (!empty && Real && parts.first == 0) {
        clipped = fill_strip<P, Real, Varies, true>(
            f, pairs, parts, corrects ? factors : nullptr, turns, half_turns, strip);
    } else if (!empty) {
        clipped = fill_strip<P, Real, Varies, false>(
            f, pairs, parts, corrects ? factors : nullptr, turns, half_turns, strip);
    }
    __syncthreads();
    const auto channel = [=](unsigned local) {
        return parts.channel(static_cast<int>(local));
    };
    strip == 32 ? store_strip<32>(f, pairs, 2 * P::C, channel, input, s0)
                : store_strip<16>(f, pairs, 2 * P::C, channel, input, s0);
    count_clipped(f, input, clipped);
}

template <class P, bool Real, bool Varies>
void start(const cuda_context& c,
           const finish_call& f,
           unsigned radix,
           const float2* turns,
           const float2* half_turns)
{
    const auto kernel = split<P, Real, Varies>;
    check_cuda(cudaFuncSetAttribute(kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes<P>)),
               "channelizer: shared memory");
    const auto grid = [&](unsigned strip) {
        return dim3((f.last - f.first + strip - 1) / strip, f.inputs, radix / 2);
    };
    // Few blocks of threads are done sooner when each has less.
    const dim3 all = grid(32);
    const bool few = all.x * all.y * all.z < static_cast<unsigned>(c.multiprocessors);
    const unsigned strip = few ? 16 : 32;
    kernel<<<grid(strip), P::threads, shared_bytes<P>, c.compute>>>(
        f, turns, half_turns, strip);
    check_launch("channelizer: split");
}

} // namespace

unsigned split_transform::radix_of(std::size_t points)
{
    unsigned parts = 0;
    with_split(points, [&](auto, unsigned radix) {
        parts = radix;
        return true;
    });
    return parts;
}

bool split_transform::fits(const cuda_context& c, std::size_t points)
{
    // 1 kB is the system's, and a little is static.
    return with_split(points, [&](auto p, unsigned) {
        return shared_bytes<decltype(p)> + 64 <= c.shared_bytes;
    });
}

split_transform::split_transform(const cuda_context& c, std::size_t points)
    : d_radix(radix_of(points))
{
    const std::size_t part = points / d_radix;
    std::vector<float2> first, half;
    for (unsigned a = 0; a < d_radix; a++) {
        for (std::size_t n = 0; n < part; n++) {
            first.push_back(turn(double(a) * n / points));
            half.push_back(turn(0.5 * (a + double(d_radix) * n) / points));
        }
    }
    for (unsigned n = 0; n < d_radix; n++) {
        first.push_back(turn(double(n) / d_radix));
    }
    d_first_turns = uploaded(c, first);
    with_split(points, [&](auto p, unsigned) {
        d_turns = uploaded(c, turns_of_passes<decltype(p)>());
        return true;
    });
    d_half_turns = uploaded(c, half);
}

void split_transform::launch(const cuda_context& c, const finish_call& f) const
{
    with_split(f.block.channels, [&](auto p, unsigned radix) {
        using P = decltype(p);
        const auto with = [&](auto starter) {
            starter(c, f, radix, d_turns.data(), d_half_turns.data());
            return true;
        };
        if (f.complex_samples) {
            return f.varies() ? with(start<P, false, true>)
                              : with(start<P, false, false>);
        }
        return f.varies() ? with(start<P, true, true>) : with(start<P, true, false>);
    });
}

} // namespace gr::fringe::kernels
