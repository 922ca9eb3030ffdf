/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/split_first.cuh"
#include "kernels/channelizer/cuda/stretch.h"

namespace gr::fringe::kernels {

namespace {

//! Two components of rows that begin anywhere, read Width at a time: those of a sample,
//! which is what a shift leaves aligned.
template <class T, int Width>
struct shifted_rows {
    struct values {
        packed<T, Width> v[2 / Width];
    };
    const shifted_windows windows;
    const unsigned column;
    const T* const kept;  //!< behind the last of them
    const T* const fresh; //!< the first
    const bool from_kept; //!< the rows after the first window's

    __device__ values any(unsigned r) const
    {
        const std::ptrdiff_t at = windows.at(r) + column;
        values two;
#pragma unroll
        for (int n = 0; n < 2; n += Width) {
            const T* const from = (at + n < 0 ? kept : fresh) + at + n;
            two.v[n / Width] = *reinterpret_cast<const packed<T, Width>*>(from);
        }
        return two;
    }
    __device__ const T* following(unsigned r) const
    {
        return (from_kept ? kept : fresh) + windows.at(r) + column;
    }
    static __device__ values load(const T* at)
    {
        values two;
#pragma unroll
        for (int n = 0; n < 2; n += Width) {
            two.v[n / Width] = *reinterpret_cast<const packed<T, Width>*>(at + n);
        }
        return two;
    }
    static __device__ float value(const values& two, int n)
    {
        return kernels::value<T>(two.v[n / Width], n % Width);
    }
};

//! Rows come again from the cache, each from wherever its components are.
template <class T, class Rows, class Out>
__device__ void plain(const fir_call& c,
                      const Rows& rows,
                      Out& out,
                      unsigned input,
                      unsigned column,
                      unsigned begin,
                      unsigned end)
{
    const float gain = c.gains[input];
    out.seek(begin - c.first);
    for (unsigned s = begin; s < end; s++) {
        const float* h = c.coefficients + column;
        float sum[1][2] = {};
        for (unsigned tap = 0; tap < c.taps; tap++, h += c.components) {
            const auto raw = rows.any(s + tap);
#pragma unroll
            for (int n = 0; n < 2; n++) {
                sum[0][n] = fmaf(gain * h[n], Rows::value(raw, n), sum[0][n]);
            }
        }
        out.step(sum, 1);
    }
}

//! The end of the spectra from s on that are shifted as s is; a warp calls it.
__device__ unsigned end_of_shift(const int* shifts, unsigned s, unsigned end)
{
    const int here = shifts[s];
    for (unsigned n = s; n < end; n += 32) {
        const unsigned mine = n + threadIdx.x % 32;
        const unsigned others =
            __ballot_sync(0xffffffffu, mine < end && shifts[mine] != here);
        if (others) {
            return n + __ffs(static_cast<int>(others)) - 1;
        }
    }
    return end;
}

//! blockIdx: x components, y strips of spectra and, last, what is kept, z inputs. A strip
//! is cut where the shift changes and where the kept samples end.
template <class T, int Width, int Taps, class Out>
__global__ void __launch_bounds__(Out::threads, Out::blocks)
    shifted_fir(const fir_call c, unsigned strip, unsigned strips)
{
    __shared__ typename Out::memory memory;
    const unsigned column = Out::column(c);
    const unsigned input = c.first_input + blockIdx.z;
    if (blockIdx.y >= strips) {
        if (c.keep_history) {
            keep<T, std::conditional_t<Width == 2, packed<T, 2>, scattered<T, 2>>>(
                c, input, column, blockIdx.y - strips, gridDim.y - strips);
        }
        return;
    }
    const bool inside = column < c.components; // a whole warp looks for changes
    const int* const shifts = c.shifts + input * c.shift_pitch;
    const T* const kept = static_cast<const T*>(c.history) + input * c.history_pitch +
                          std::size_t(c.history_rows) * c.components;
    const T* const fresh = static_cast<const T*>(c.in) + input * c.in_stride;
    unsigned s = c.first + blockIdx.y * strip;
    const unsigned end = min(s + strip, c.first + c.spectra);
    Out out(c, memory);
    while (s < end) {
        const shifted_windows windows{static_cast<int>(c.components),
                                      static_cast<int>(c.history_rows - c.max_shift_rows),
                                      static_cast<int>(c.taps),
                                      shifts[s] * static_cast<int>(c.sample_components)};
        const auto part = windows.from(s, end_of_shift(shifts, s, end));
        const shifted_rows<T, Width> rows{
            windows, column, kept, fresh, part.where == shifted_windows::kept};
        if constexpr (Taps > 0) {
            if (inside && part.where != shifted_windows::both) {
                windowed<T, 2, Taps>(c, rows, out, input, column, s, part.end);
            } else if (inside) {
                plain<T>(c, rows, out, input, column, s, part.end);
            }
        } else if (inside) {
            plain<T>(c, rows, out, input, column, s, part.end);
        }
        s = part.end;
    }
}

template <class T, int Width, int Taps, class Out>
void launch(const cuda_context& c, const fir_call& call)
{
    const unsigned threads = Out::threads_for(call.radix);
    const fir_grid g(c, call, 2, threads);
    shifted_fir<T, Width, Taps, Out>
        <<<g.blocks, threads, 0, c.compute>>>(call, g.strip, g.strips);
    check_launch("channelizer: shifted fir");
}

template <class T, int Width, class Out>
void launch(const cuda_context& c, const fir_call& call)
{
    switch (call.taps) {
    case 4:
        return launch<T, Width, 4, Out>(c, call);
    case 8:
        return launch<T, Width, 8, Out>(c, call);
    case 16:
        return launch<T, Width, 16, Out>(c, call);
    default:
        return launch<T, Width, 0, Out>(c, call);
    }
}

template <class T, int Width>
void launch(const cuda_context& c, const fir_call& call)
{
    call.first_turns ? launch<T, Width, split_writer>(c, call)
                     : launch<T, Width, writer<2>>(c, call);
}

template <class T>
void launch(const cuda_context& c, const fir_call& call)
{
    const bool pairs = call.sample_components == 2 && call.in_stride % 2 == 0 &&
                       reinterpret_cast<std::uintptr_t>(call.in) % (2 * sizeof(T)) == 0;
    pairs ? launch<T, 2>(c, call) : launch<T, 1>(c, call);
}

} // namespace

void launch_shifted_fir(const cuda_context& c, const fir_call& call)
{
    with_component(call.type, [&](auto zero) { launch<decltype(zero)>(c, call); });
}

} // namespace gr::fringe::kernels
