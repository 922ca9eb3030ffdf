/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/fir.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr unsigned threads = 128;

//! N neighbouring components as they are in memory.
template <class T, int N>
struct scattered {
    T v[N];
};
//! The same where they are aligned: moved in one go, and taken apart when they are used
//! and not when they have just been asked for.
template <class T, int N>
using packed = std::conditional_t<
    N * sizeof(T) == 2,
    std::uint16_t,
    std::conditional_t<N * sizeof(T) == 4,
                       std::uint32_t,
                       std::conditional_t<N * sizeof(T) == 8, uint2, uint4>>>;

template <class T, class Values>
__device__ float value(const Values& raw, int n)
{
    if constexpr (sizeof(T) == 1 && std::is_integral_v<Values>) {
        return static_cast<std::int8_t>(raw >> (8 * n));
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
        return static_cast<const T*>(c.history) +
               (std::size_t(input) * (c.taps - 1) + r) * c.components + column;
    }
    return static_cast<const T*>(c.in) + input * c.in_stride +
           std::size_t(r - c.history_rows) * c.components + column;
}

//! Where components column ... column + N - 1 of successive spectra go.
template <int N>
struct writer {
    float2* at;
    unsigned points;
    int other = 1; //!< from the first to the second point

    __device__ writer(const fir_call& c, unsigned z, unsigned column, unsigned s)
        : points(c.components / 2)
    {
        const unsigned m = column / 2, part = points / c.radix;
        const unsigned first = m % c.radix * part + m / c.radix;
        const unsigned second = (m + 1) % c.radix * part + (m + 1) / c.radix;
        at = c.out + (std::size_t(z) * c.out_rows + s - c.first) * points + first;
        other = static_cast<int>(second - first);
    }
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
};

//! The rows that the next call still needs, and the flags.
template <class T, class Values>
__device__ void keep(const fir_call& c, unsigned input, unsigned column)
{
    const unsigned rows = c.history_rows + c.fresh_rows;
    const unsigned kept = rows < c.taps - 1 ? rows : c.taps - 1;
    T* to = static_cast<T*>(c.next_history) +
            std::size_t(input) * (c.taps - 1) * c.components + column;
    for (unsigned r = 0; r < kept && column < c.components; r++) {
        *reinterpret_cast<Values*>(to + std::size_t(r) * c.components) =
            *reinterpret_cast<const Values*>(row<T>(c, input, column, rows - kept + r));
    }
    const std::size_t step = std::size_t(gridDim.x) * gridDim.z * threads;
    for (std::size_t n =
             (std::size_t(blockIdx.z) * gridDim.x + blockIdx.x) * threads + threadIdx.x;
         n < c.flag_rows * c.flag_width;
         n += step) {
        c.flags[n / c.flag_width * c.flag_pitch + n % c.flag_width] = 0;
    }
}

//! The next rows, as many as are left.
template <int Count, class Values, class T>
__device__ void
next_rows(Values (&raw)[Count], const T*& at, unsigned components, int& left)
{
    if (left >= Count) {
#pragma unroll
        for (int u = 0; u < Count; u++) {
            raw[u] = *reinterpret_cast<const Values*>(at);
            at += components;
        }
    } else {
#pragma unroll
        for (int u = 0; u < Count; u++) {
            if (u < left) {
                raw[u] = *reinterpret_cast<const Values*>(at);
                at += components;
            }
        }
    }
    left -= Count;
}

//! Every row is read once a strip and stays, with the coefficients, in registers.
template <class T, int N, int Taps>
__device__ void
windowed(const fir_call& c, unsigned input, unsigned column, unsigned begin, unsigned end)
{
    // Spectra of a step; the rows of the next one are on their way.
    constexpr int Step = Taps >= 8 && sizeof(T) < 4 ? 8 : 4;
    static_assert(Taps % Step == 0, "whole steps");
    using values = packed<T, N>;
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
        const auto raw =
            *reinterpret_cast<const values*>(row<T>(c, input, column, begin + tap));
#pragma unroll
        for (int n = 0; n < N; n++) {
            x[tap][n] = value<T>(raw, n);
        }
    }
    // At most taps - 1 rows are history, so all others are of this call.
    const T* at = row<T>(c, input, column, begin + Taps - 1);
    int left = static_cast<int>(end - begin);
    values ahead[Step] = {};
    next_rows(ahead, at, c.components, left);
    writer<N> out(c, blockIdx.z, column, begin);
    for (unsigned s = begin; s < end; s += Taps) {
#pragma unroll
        for (int step = 0; step < Taps; step += Step) {
            values raw[Step];
#pragma unroll
            for (int u = 0; u < Step; u++) {
                raw[u] = ahead[u];
            }
            next_rows(ahead, at, c.components, left);
            float sum[Step][N] = {};
#pragma unroll
            for (int u = 0; u < Step; u++) {
#pragma unroll
                for (int n = 0; n < N; n++) {
                    x[(step + u + Taps - 1) % Taps][n] = value<T>(raw[u], n);
#pragma unroll
                    for (int tap = 0; tap < Taps; tap++) {
                        sum[u][n] =
                            fmaf(h[tap][n], x[(step + u + tap) % Taps][n], sum[u][n]);
                    }
                }
            }
            if (s + step + Step <= end) {
#pragma unroll
                for (int u = 0; u < Step; u++) {
                    out.next(sum[u]);
                }
            } else {
#pragma unroll
                for (int u = 0; u < Step; u++) {
                    if (s + step + u < end) {
                        out.next(sum[u]);
                    }
                }
            }
        }
    }
}

//! Any number of taps; rows come again from the cache.
template <class T, int N>
__device__ void
plain(const fir_call& c, unsigned input, unsigned column, unsigned begin, unsigned end)
{
    using values = std::conditional_t<N == 4, packed<T, N>, scattered<T, N>>;
    const float gain = c.gains[input];
    writer<N> out(c, blockIdx.z, column, begin);
    for (unsigned s = begin; s < end; s++) {
        const float* h = c.coefficients + column;
        float sum[N] = {};
        for (unsigned tap = 0; tap < c.taps; tap++, h += c.components) {
            const auto raw =
                *reinterpret_cast<const values*>(row<T>(c, input, column, s + tap));
#pragma unroll
            for (int n = 0; n < N; n++) {
                sum[n] = fmaf(gain * h[n], value<T>(raw, n), sum[n]);
            }
        }
        out.next(sum);
    }
}

//! blockIdx: x components, y strips of spectra and, last, what is kept, z inputs.
template <class T, int N, int Taps>
__global__ void __launch_bounds__(threads, 4) fir(const fir_call c, unsigned strip)
{
    const unsigned column = (blockIdx.x * threads + threadIdx.x) * N;
    const unsigned input = c.first_input + blockIdx.z;
    if (blockIdx.y == gridDim.y - 1) {
        if (c.keep_history) {
            keep<T,
                 std::conditional_t<Taps != 0 || N == 4, packed<T, N>, scattered<T, N>>>(
                c, input, column);
        }
        return;
    }
    if (column >= c.components) {
        return;
    }
    const unsigned begin = c.first + blockIdx.y * strip;
    const unsigned end = min(begin + strip, c.first + c.spectra);
    if constexpr (Taps > 0) {
        windowed<T, N, Taps>(c, input, column, begin, end);
    } else {
        plain<T, N>(c, input, column, begin, end);
    }
}

template <class T, int N, int Taps>
void launch(const cuda_context& c, const fir_call& call)
{
    // Long strips read few rows twice; short ones fill the chip when there is little.
    const std::size_t columns = (call.components / N + threads - 1) / threads;
    const std::size_t all = columns * call.inputs;
    unsigned strip = 64;
    while (strip > 16 && all * (call.spectra / strip) < 8u * c.multiprocessors) {
        strip /= 2;
    }
    strip = std::max(strip, (call.spectra / 32768 + 1) * 16);
    const dim3 grid(static_cast<unsigned>(columns),
                    (call.spectra + strip - 1) / strip + 1,
                    call.inputs);
    fir<T, N, Taps><<<grid, threads, 0, c.compute>>>(call, strip);
    check_launch("channelizer: fir");
}

template <class T>
void launch(const cuda_context& c, const fir_call& call)
{
    const auto aligned = [&](unsigned n) {
        return call.components % n == 0 && call.in_stride % n == 0 &&
               reinterpret_cast<std::uintptr_t>(call.in) % (n * sizeof(T)) == 0;
    };
    if (call.taps == 16 && aligned(2)) {
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
    switch (call.type) {
    case component::i8:
        return launch<std::int8_t>(c, call);
    case component::i16:
        return launch<std::int16_t>(c, call);
    default:
        return launch<float>(c, call);
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr
