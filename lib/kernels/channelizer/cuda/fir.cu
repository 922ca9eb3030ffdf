/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/split_first.cuh"

namespace gr::fringe::kernels {

namespace {

//! N components of rows that are where they belong. At most taps - 1 of them are history,
//! so all after the first window's are of this call.
template <class T, int N>
struct straight_rows {
    using values = packed<T, N>;
    const fir_call& c;
    const unsigned input, column;

    __device__ values any(unsigned r) const { return load(row<T>(c, input, column, r)); }
    __device__ const T* following(unsigned r) const
    {
        return row<T>(c, input, column, r);
    }
    static __device__ values load(const T* at)
    {
        return *reinterpret_cast<const values*>(at);
    }
    static __device__ float value(values raw, int n) { return kernels::value<T>(raw, n); }
};

//! Any number of taps; rows come again from the cache.
template <class T, int N, class Out>
__device__ void plain(const fir_call& c,
                      Out& out,
                      unsigned input,
                      unsigned column,
                      unsigned begin,
                      unsigned end)
{
    using values = std::conditional_t<N == 4, packed<T, N>, scattered<T, N>>;
    const float gain = c.gains[input];
    out.seek(begin - c.first);
    for (unsigned s = begin; s < end; s++) {
        const float* h = c.coefficients + column;
        float sum[1][N] = {};
        for (unsigned tap = 0; tap < c.taps; tap++, h += c.components) {
            const auto raw =
                *reinterpret_cast<const values*>(row<T>(c, input, column, s + tap));
#pragma unroll
            for (int n = 0; n < N; n++) {
                sum[0][n] = fmaf(gain * h[n], value<T>(raw, n), sum[0][n]);
            }
        }
        out.step(sum, 1);
    }
}

//! blockIdx: x components, y strips of spectra and, last, what is kept, z inputs.
template <class T, int N, int Taps, class Out>
__global__ void __launch_bounds__(Out::threads, Out::blocks)
    fir(const fir_call c, unsigned strip, unsigned strips)
{
    __shared__ typename Out::memory memory;
    const unsigned column = Out::column(c);
    const unsigned input = c.first_input + blockIdx.z;
    if (blockIdx.y >= strips) {
        if (c.keep_history) {
            keep<T,
                 std::conditional_t<Taps != 0 || N == 4, packed<T, N>, scattered<T, N>>>(
                c, input, column, blockIdx.y - strips, gridDim.y - strips);
        }
        return;
    }
    if (column >= c.components) {
        return;
    }
    const unsigned begin = c.first + blockIdx.y * strip;
    const unsigned end = min(begin + strip, c.first + c.spectra);
    Out out(c, memory);
    if constexpr (Taps > 0) {
        windowed<T, N, Taps>(
            c, straight_rows<T, N>{c, input, column}, out, input, column, begin, end);
    } else {
        plain<T, N>(c, out, input, column, begin, end);
    }
}

template <class T, int N, int Taps, class Out = writer<N>>
void launch(const cuda_context& c, const fir_call& call)
{
    const unsigned threads = Out::threads_for(call.radix);
    const fir_grid g(c, call, N, threads);
    fir<T, N, Taps, Out><<<g.blocks, threads, 0, c.compute>>>(call, g.strip, g.strips);
    check_launch("channelizer: fir");
}

template <class T>
void launch_split(const cuda_context& c, const fir_call& call, bool aligned)
{
    switch (aligned ? call.taps : 0) {
    case 4:
        return launch<T, 2, 4, split_writer>(c, call);
    case 8:
        return launch<T, 2, 8, split_writer>(c, call);
    case 16:
        return launch<T, 2, 16, split_writer>(c, call);
    default:
        return launch<T, 2, 0, split_writer>(c, call);
    }
}

template <class T>
void launch(const cuda_context& c, const fir_call& call)
{
    const auto aligned = [&](unsigned n) {
        return call.components % n == 0 && call.in_stride % n == 0 &&
               reinterpret_cast<std::uintptr_t>(call.in) % (n * sizeof(T)) == 0;
    };
    if (call.first_turns) {
        launch_split<T>(c, call, aligned(2));
    } else if (call.taps == 16 && aligned(2)) {
        launch<T, 2, 16>(c, call);
    } else if (!aligned(4)) {
        launch<T, 2, 0>(c, call);
    } else if (call.taps == 4) {
        launch<T, 4, 4>(c, call);
    } else if (call.taps == 8) {
        launch<T, 4, 8>(c, call);
    } else {
        launch<T, 4, 0>(c, call);
    }
}

} // namespace

void launch_fir(const cuda_context& c, const fir_call& call)
{
    with_component(call.type, [&](auto zero) { launch<decltype(zero)>(c, call); });
}

} // namespace gr::fringe::kernels
