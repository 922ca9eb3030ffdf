/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_ROWS_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_ROWS_CUH

#include "kernels/base/level_byte.h"
#include "kernels/channelizer/cuda/fir.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

// What the filter's kernels do with rows of samples, shifted or not.
namespace gr::fringe::kernels {

//! what(zero), `zero` of the type of the components.
template <class F>
void with_component(component type, F&& what)
{
    switch (type) {
    case component::i8:
        return what(std::int8_t());
    case component::i16:
        return what(std::int16_t());
    case component::level:
        return what(level_byte());
    default:
        return what(0.0f);
    }
}

//! N neighboring components as they are in memory.
template <class T, int N>
struct scattered {
    T v[N];
};
//! The same where they are aligned: moved in one go, and taken apart when they are used
//! and not when they have just been asked for.
template <class T, int N>
using packed = std::conditional_t<
    N * sizeof(T) == 1,
    std::uint8_t,
    std::conditional_t<
        N * sizeof(T) == 2,
        std::uint16_t,
        std::conditional_t<N * sizeof(T) == 4,
                           std::uint32_t,
                           std::conditional_t<N * sizeof(T) == 8, uint2, uint4>>>>;

template <class T, class Values>
__device__ float value(const Values& raw, int n)
{
    if constexpr (sizeof(T) == 1 && std::is_integral_v<Values>) {
        return T{static_cast<std::int8_t>(raw >> (8 * n))};
    } else {
        T v[sizeof(raw) / sizeof(T)];
        memcpy(v, &raw, sizeof(raw));
        return v[n];
    }
}

//! Components from `column` on of row r, kept from earlier calls or of this one.
template <class T>
__device__ const T* row(const fir_call& c, unsigned input, unsigned column, unsigned r)
{
    if (r < c.history_rows) {
        return static_cast<const T*>(c.history) + input * c.history_pitch +
               std::size_t(r) * c.components + column;
    }
    return static_cast<const T*>(c.in) + input * c.in_stride +
           std::size_t(r - c.history_rows) * c.components + column;
}

//! Where components column ... column + N - 1 of successive spectra go: to memory.
template <int N>
struct writer {
    static constexpr int threads = 128, blocks = 4;
    static constexpr int threads_for(unsigned) { return threads; }
    struct memory {
    };
    float2* const first;
    const unsigned points;
    int other = 1; //!< from the first to the second point
    float2* at = nullptr;

    //! Of this thread.
    static __device__ unsigned column(const fir_call&)
    {
        return (blockIdx.x * threads + threadIdx.x) * N;
    }
    __device__ writer(const fir_call& c, memory&)
        : first(c.out + std::size_t(blockIdx.z) * c.out_rows * (c.components / 2)),
          points(c.components / 2)
    {
        const unsigned m = column(c) / 2;
        place = place_of(c, m);
        other = static_cast<int>(place_of(c, m + 1) - place);
    }
    //! The next spectrum is row n of c.out.
    __device__ void seek(unsigned n) { at = first + std::size_t(n) * points + place; }
    __device__ void next(const float (&sum)[N])
    {
        if (N == 4 && other == 1) {
            *reinterpret_cast<float4*>(at) =
                make_float4(sum[0], sum[1], sum[N - 2], sum[N - 1]);
        } else {
            at[0] = make_float2(sum[0], sum[1]);
            if (N == 4) {
                at[other] = make_float2(sum[N - 2], sum[N - 1]);
            }
        }
        at += points;
    }
    //! The first `count` spectra of a step, if there are that many.
    template <int Step>
    __device__ void step(const float (&sum)[Step][N], int count)
    {
        if (count >= Step) {
#pragma unroll
            for (int u = 0; u < Step; u++) {
                next(sum[u]);
            }
        } else {
#pragma unroll
            for (int u = 0; u < Step; u++) {
                if (u < count) {
                    next(sum[u]);
                }
            }
        }
    }

private:
    unsigned place = 0;

    static __device__ unsigned place_of(const fir_call& c, unsigned m)
    {
        return m % c.radix * (c.components / 2 / c.radix) + m / c.radix;
    }
};

//! Part `number` of `parts` of the rows that later calls still need, and the flags.
template <class T, class Values>
__device__ void
keep(const fir_call& c, unsigned input, unsigned column, unsigned number, unsigned parts)
{
    const unsigned each = (c.keep_rows + parts - 1) / parts;
    const unsigned last = min((number + 1) * each, c.keep_rows);
    T* to = static_cast<T*>(c.next_history) + input * c.history_pitch + column;
    for (unsigned r = number * each; r < last && column < c.components; r++) {
        *reinterpret_cast<Values*>(to + std::size_t(r) * c.components) =
            *reinterpret_cast<const Values*>(row<T>(c, input, column, c.keep_from + r));
    }
    if (number > 0) {
        return;
    }
    const std::size_t step = std::size_t(gridDim.x) * gridDim.z * blockDim.x;
    for (std::size_t n = (std::size_t(blockIdx.z) * gridDim.x + blockIdx.x) * blockDim.x +
                         threadIdx.x;
         n < c.flag_rows * c.flag_width;
         n += step) {
        c.flags[n / c.flag_width * c.flag_pitch + n % c.flag_width] = 0;
    }
}

//! The next rows, as many as are left.
template <class Rows, int Count, class T>
__device__ void next_rows(typename Rows::values (&raw)[Count],
                          const T*& at,
                          unsigned components,
                          int& left)
{
    if (left >= Count) {
#pragma unroll
        for (int u = 0; u < Count; u++) {
            raw[u] = Rows::load(at);
            at += components;
        }
    } else {
#pragma unroll
        for (int u = 0; u < Count; u++) {
            if (u < left) {
                raw[u] = Rows::load(at);
                at += components;
            }
        }
    }
    left -= Count;
}

/*!
 * Spectra begin ... end - 1: every row is read once a strip and stays, with the
 * coefficients, in registers. Rows says where they are and how they are read: row r of the
 * first window, whatever it is made of, and the rows after those, which follow one
 * another.
 */
template <class T, int N, int Taps, class Rows, class Out>
__device__ void windowed(const fir_call& c,
                         const Rows& rows,
                         Out& out,
                         unsigned input,
                         unsigned column,
                         unsigned begin,
                         unsigned end)
{
    // Spectra of a step; the rows of the next one are on their way.
    constexpr int Step = Taps >= 8 && sizeof(T) < 4 ? 8 : 4;
    static_assert(Taps % Step == 0, "whole steps");
    using values = typename Rows::values;
    const float gain = c.gains[input];
    float h[Taps][N], x[Taps][N];
#pragma unroll
    for (int tap = 0; tap < Taps; tap++) {
#pragma unroll
        for (int n = 0; n < N; n++) {
            h[tap][n] =
                gain * c.coefficients[std::size_t(tap) * c.components + column + n];
        }
    }
#pragma unroll
    for (int tap = 0; tap < Taps - 1; tap++) {
        const auto raw = rows.any(begin + tap);
#pragma unroll
        for (int n = 0; n < N; n++) {
            x[tap][n] = Rows::value(raw, n);
        }
    }
    const T* at = rows.following(begin + Taps - 1);
    int left = static_cast<int>(end - begin);
    values ahead[Step] = {};
    next_rows<Rows>(ahead, at, c.components, left);
    out.seek(begin - c.first);
    for (unsigned s = begin; s < end; s += Taps) {
#pragma unroll
        for (int step = 0; step < Taps; step += Step) {
            values raw[Step];
#pragma unroll
            for (int u = 0; u < Step; u++) {
                raw[u] = ahead[u];
            }
            next_rows<Rows>(ahead, at, c.components, left);
            float sum[Step][N] = {};
#pragma unroll
            for (int u = 0; u < Step; u++) {
#pragma unroll
                for (int n = 0; n < N; n++) {
                    x[(step + u + Taps - 1) % Taps][n] = Rows::value(raw[u], n);
#pragma unroll
                    for (int tap = 0; tap < Taps; tap++) {
                        sum[u][n] =
                            fmaf(h[tap][n], x[(step + u + tap) % Taps][n], sum[u][n]);
                    }
                }
            }
            out.step(sum, static_cast<int>(end - s) - step);
        }
    }
}

//! How the filter's work is cut: blocks of N components a thread, strips of spectra, and
//! behind those blocks that keep rows.
struct fir_grid {
    unsigned strip, strips;
    dim3 blocks;

    fir_grid(const cuda_context& c, const fir_call& call, unsigned n, unsigned threads)
    {
        // Long strips read few rows twice; short ones fill the chip when there is little.
        const std::size_t columns = (call.components / n + threads - 1) / threads;
        const std::size_t all = columns * call.inputs;
        strip = 64;
        while (strip > 16 && all * (call.spectra / strip) < 8u * c.multiprocessors) {
            strip /= 2;
        }
        strip = std::max(strip, (call.spectra / 32768 + 1) * 16);
        strips = (call.spectra + strip - 1) / strip;
        const unsigned keepers =
            call.keep_history ? std::clamp((call.keep_rows + 31) / 32, 1u, 4096u) : 1;
        blocks = dim3(static_cast<unsigned>(columns), strips + keepers, call.inputs);
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FIR_ROWS_CUH */
