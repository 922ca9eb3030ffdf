/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_OUTPUT_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_OUTPUT_CUH

#include "kernels/channelizer/cuda/complex.cuh"
#include "kernels/channelizer/cuda/finish.h"

// What the last kernels of the channelizer do with a spectrum. They gather a strip of
// spectra in shared memory, [channel][spectrum], and then write it along time.
namespace gr::fringe::kernels {

/*!
 * Two bins k and C - k of a real spectrum, from the bins z and y of the transform of its
 * pairs of samples (both times 1/2):
 *
 *     X_k = P + G,  conj X_(C-k) = P - G,  P = z + conj y,  G = -i w (z - conj y),
 *
 * w = exp(-pi i k / C). Samples times (-1)^n put the conjugate of bin C - k at k: G
 * changes its sign.
 */
__device__ inline void
real_halves(float2 z, float2 y, float2 w, bool conjugate, float2& at_k, float2& mirror)
{
    const float2 p = z + conj(y), d = z - conj(y);
    const float2 turned = w * d;
    const float2 g =
        conjugate ? make_float2(-turned.y, turned.x) : make_float2(turned.y, -turned.x);
    at_k = p + g;
    mirror = conj(p - g);
}

//! A sum with this leaves the rounded value in the lowest bits: up to 2^22.
constexpr float round_magic = 12582912.0f;

//! exp(2 pi i turns): what is to be rounded to 8 bits within 5e-7, else as floats are.
template <bool Exact>
__device__ inline float2 phasor(float turns)
{
    const float part = turns - ((turns + round_magic) - round_magic);
    float2 p;
    if constexpr (Exact) {
        sincospif(2 * part, &p.y, &p.x);
    } else {
        __sincosf(6.283185307f * part, &p.y, &p.x);
    }
    return p;
}

//! Of finish_call::turns, for spectrum s.
__device__ inline float2 turns_of(const finish_call& f, unsigned input, unsigned s)
{
    return f.turns && input < f.block.inputs && s < f.spectra
               ? __ldg(f.turns + input * f.turns_pitch + s)
               : float2{};
}

//! Turns of phase of a channel, `offset` channels from the middle one.
__device__ inline float turns_at(float2 turns, int offset)
{
    // A conversion is four times slower than this.
    const float channels =
        __int_as_float(__float_as_int(round_magic) + offset) - round_magic;
    return fmaf(turns.y, channels, turns.x);
}

//! The larger of both parts.
__device__ inline float largest(float2 x) { return fmaxf(fabsf(x.x), fabsf(x.y)); }
__device__ inline unsigned beyond(float2 x, float limit)
{
    return (fabsf(x.x) >= limit) + (fabsf(x.y) >= limit);
}

//! Rounds to nearest even and clips both parts; the int8 pair.
__device__ inline std::uint16_t quantize(float2 x, float limit)
{
    const float re = fminf(fmaxf(x.x, -limit), limit) + round_magic;
    const float im = fminf(fmaxf(x.y, -limit), limit) + round_magic;
    return static_cast<std::uint16_t>(
        __byte_perm(__float_as_uint(re), __float_as_uint(im), 0x0040));
}

//! Adds a block's clipped components to the input's count; all threads call it.
__device__ inline void
count_clipped(const finish_call& f, unsigned input, unsigned clipped)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    if (clipped > 0) {
        atomicAdd(&sum, clipped);
    }
    __syncthreads();
    if (threadIdx.x == 0 && sum > 0) {
        atomicAdd(f.saturated + input, static_cast<unsigned long long>(sum));
    }
}

/*!
 * Strips of S int8 pairs in shared memory: two spectra a 32-bit word, [spectrum / 2]
 * [channel], `pitch` words apart, so that neighboring channels are in different banks.
 */
struct strips {
    std::uint32_t* words;
    unsigned pitch;

    //! Of spectrum s: channels are two apart.
    __device__ std::uint16_t* place(unsigned s) const
    {
        return reinterpret_cast<std::uint16_t*>(words) + 2 * (s / 2 * pitch) + s % 2;
    }
    __device__ void put(unsigned local, unsigned s, std::uint16_t pair) const
    {
        place(s)[2 * local] = pair;
    }
};

//! 16 successive values of each plane, from a word of the strip on: R to `re`, the others
//! as many planes after it. Returns whether a sum is beyond +-127.
__device__ inline bool store_planes(const strips& from,
                                    unsigned local,
                                    unsigned word,
                                    std::uint8_t* re,
                                    std::size_t plane_bytes,
                                    bool with_sum)
{
    std::uint32_t r[4], i[4];
#pragma unroll
    for (int w = 0; w < 4; w++) {
        const std::uint32_t a = from.words[(word + 2 * w) * from.pitch + local];
        const std::uint32_t b = from.words[(word + 2 * w + 1) * from.pitch + local];
        r[w] = __byte_perm(a, b, 0x6420);
        i[w] = __byte_perm(a, b, 0x7531);
    }
    *reinterpret_cast<uint4*>(re) = make_uint4(r[0], r[1], r[2], r[3]);
    *reinterpret_cast<uint4*>(re + plane_bytes) = make_uint4(i[0], i[1], i[2], i[3]);
    if (!with_sum) {
        return false;
    }
    std::uint32_t sum[4];
    bool over = false;
#pragma unroll
    for (int w = 0; w < 4; w++) {
        sum[w] = __vadd4(r[w], i[w]);
        // Equal signs in and another out, or just -128.
        over |= (~(r[w] ^ i[w]) & (r[w] ^ sum[w]) & 0x80808080u) != 0 ||
                __vcmpeq4(sum[w], 0x80808080u) != 0;
    }
    *reinterpret_cast<uint4*>(re + 2 * plane_bytes) =
        make_uint4(sum[0], sum[1], sum[2], sum[3]);
    return over;
}

//! Writes strips of S spectra from s0 on into tiles; see store_strip().
template <int S, class ChannelOf>
__device__ void store_tiles(const finish_call& f,
                            const strips& from,
                            unsigned count,
                            ChannelOf channel_of,
                            unsigned input,
                            unsigned s0)
{
    constexpr unsigned pieces = S / 16;
    // blockDim.x is a multiple of the pieces, so a thread's is always the same.
    const unsigned piece = threadIdx.x % pieces, t = s0 + piece * 16;
    const std::size_t place = f.block.at(0, 0, input, t);
    const std::size_t plane_bytes = f.block.at(0, 1, input, t) - place;
    const std::size_t channel_bytes = f.block.at(1, 0, input, t) - place;
    const bool with_sum = f.block.planes() == 3;
    const auto out = static_cast<std::uint8_t*>(f.out) + place;
    for (unsigned local = threadIdx.x / pieces; local < count;
         local += blockDim.x / pieces) {
        const int channel = channel_of(local);
        if (channel >= 0 && store_planes(from,
                                         local,
                                         piece * 8,
                                         out + channel * channel_bytes,
                                         plane_bytes,
                                         with_sum)) {
            static_cast<std::uint8_t*>(f.out)[f.block.flag_at(channel, input, t)] = 1;
        }
    }
}

/*!
 * Writes a strip of S spectra from spectrum s0 of `count` local channels;
 * channel_of(local) is negative for those that are none.
 */
template <int S, class ChannelOf>
__device__ void store_strip(const finish_call& f,
                            const strips& from,
                            unsigned count,
                            ChannelOf channel_of,
                            unsigned input,
                            unsigned s0)
{
    if (f.tiles) {
        store_tiles<S>(f, from, count, channel_of, input, s0);
        return;
    }
    const auto out = static_cast<std::uint16_t*>(f.out);
    const bool aligned = f.block.block_spectra % 2 == 0;
    for (unsigned n = threadIdx.x; n < count * (S / 2); n += blockDim.x) {
        const unsigned local = n / (S / 2), s = s0 + n % (S / 2) * 2;
        const int channel = channel_of(local);
        if (channel < 0 || s >= f.spectra) {
            continue;
        }
        const std::uint32_t two = from.words[n % (S / 2) * from.pitch + local];
        const auto to =
            out + (channel * f.block.inputs + input) * f.block.block_spectra + s;
        if (aligned && s + 1 < f.spectra) {
            *reinterpret_cast<std::uint32_t*>(to) = two;
        } else {
            to[0] = static_cast<std::uint16_t>(two);
            if (s + 1 < f.spectra) {
                to[1] = static_cast<std::uint16_t>(two >> 16);
            }
        }
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_OUTPUT_CUH */
