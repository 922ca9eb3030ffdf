/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FINISH_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FINISH_CUH

#include "kernels/channelizer/cuda/fused_passes.cuh"
#include "kernels/channelizer/cuda/output.cuh"

namespace gr::fringe::kernels {

/*!
 * The two parts of a spectrum that a block of split_transform has, bins a + radix k' of
 * part a, k' < P. The mirror image of a bin is bin P - 1 - k' of part radix - a; parts 0 and
 * radix / 2 are their own, bins k' and (P - k') % P of the one, k' and P - 1 - k' of the
 * other. A bin's local number is P times the part's number, 0 or 1, and k'.
 */
template <class P>
struct split_parts {
    unsigned radix, half, first, second; //!< parts
    bool real, conjugate;

    __device__
    split_parts(const finish_call& f, unsigned pair, bool is_real, bool mirrored)
        : radix(static_cast<unsigned>(f.block.channels) / P::C),
          half(static_cast<unsigned>(f.block.channels) / 2),
          first(pair),
          second(pair == 0 ? radix / 2 : radix - pair),
          real(is_real),
          conjugate(mirrored)
    {
    }
    //! Channel of a bin of the first part (which = 0) or the second one (1).
    __device__ int channel(int which, int local) const
    {
        const int bin = static_cast<int>(which ? second : first) +
                        static_cast<int>(radix) * (local - which * P::C);
        const int all = 2 * static_cast<int>(half); // a power of two
        return real ? bin : ((conjugate ? all - bin : bin) + all / 2) & (all - 1);
    }
    __device__ int channel(int local) const { return channel(local >= P::C, local); }
};

//! What becomes of the channels of a spectrum. Varies: see finish_call::varies().
//! Alone: of parts 0 and radix / 2 of real samples, which are their own mirror images.
template <class P, bool Real, bool Varies, bool Alone>
struct split_finisher {
    static constexpr int R3 = P::R3;
    static constexpr int R = P::R1 * P::R2;

    const finish_call& f;
    const strips pairs;
    const split_parts<P> parts;
    const float2* corrections; //!< [local], in shared memory, or none
    const float2* half_turns;  //!< [part][k']
    const unsigned input;
    int t;
    unsigned clipped = 0;
    std::uint16_t* to = nullptr; //!< of a spectrum
    float2 turns{};
    bool changed = false;

    //! Before spectrum s of the call.
    __device__ void begin(unsigned s)
    {
        turns = turns_of(f, input, s);
        changed = s >= f.change;
    }
    //! Item of pass 3 that is the thread's group g, of either part: so that mirror images
    //! meet in a thread.
    __device__ int item(int which, int g) const
    {
        const int straight = t + P::lanes * g;
        if constexpr (!Alone) {
            return which == 0 ? straight : R - 1 - straight;
        }
        if (which == 0) {
            return static_cast<int>(item_of<P>(t, g));
        }
        const int own = t + P::lanes * (g / 2);
        return g % 2 == 0 ? own : R - 1 - own;
    }

    __device__ float2 correct(int which, int local, float2 x) const
    {
        if constexpr (Varies) {
            const int channel = parts.channel(which, local);
            if (changed) {
                x = f.next_corrections
                        ? __ldg(f.next_corrections + input * f.block.channels + channel) *
                              x
                        : x;
            } else {
                x = corrections ? corrections[local] * x : x;
            }
            const int offset = channel - static_cast<int>(parts.half);
            return phasor<false>(turns_at(turns, offset)) * x;
        }
        return corrections ? corrections[local] * x : x;
    }
    __device__ void put(int local, float2 x) { to[2 * local] = quantize(x, f.limit); }
    //! Complex samples: one bin.
    __device__ void put_one(int which, int local, float2 x)
    {
        x = correct(which, local, parts.conjugate ? conj(x) : x);
        const float limit = f.limit + 0.5f;
        if (largest(x) >= limit) {
            clipped += beyond(x, limit);
        }
        put(local, x);
    }
    //! Two bins of real samples, mirror images of each other: where they are, part and number.
    struct bins {
        int which, local, other_which, other;
    };
    //! Bin 0 comes with the one in the middle.
    __device__ void put_two(const bins& at, float2 z, float2 y, bool first, float2 middle)
    {
        const float2* const half =
            half_turns + (at.which ? parts.second : parts.first) * P::C;
        float2 x, mirror;
        real_halves(
            z, y, __ldg(half + (at.local - at.which * P::C)), parts.conjugate, x, mirror);
        if (first) {
            float2 unused;
            real_halves(
                middle, middle, make_float2(0, -1), parts.conjugate, mirror, unused);
        }
        x = correct(at.which, at.local, x);
        mirror = correct(at.other_which, at.other, mirror);
        const float limit = f.limit + 0.5f;
        if (fmaxf(largest(x), largest(mirror)) >= limit) {
            clipped += beyond(x, limit) + beyond(mirror, limit);
        }
        put(at.local, x);
        put(at.other, mirror);
    }

    //! A thread's bins of both parts, as pass 3 leaves them.
    __device__ void put_all(unsigned s, float2 (&x)[P::E], float2 (&y)[P::E])
    {
        to = pairs.place(s);
        if constexpr (!Real) {
#pragma unroll
            for (int n = 0; n < P::E; n++) {
                put_one(0, item(0, n / R3) + R * (n % R3), x[n]);
                put_one(1, P::C + item(1, n / R3) + R * (n % R3), y[n]);
            }
            return;
        }
        const float2 middle = x[R3 / 2];
        if constexpr (Alone) {
            bring_together(x, y);
        }
        const bool special = Alone && t == 0;
#pragma unroll
        for (int n = 0; n < P::E; n++) {
            const int g = n / R3, i = n % R3, which = Alone ? g % 2 : 0;
            bins at = {which, 0, Alone ? which : 1, 0};
            // Where the bins were before they were brought together.
            at.local = which * P::C + (Alone ? item(which, g / 2 * 2) : item(0, g));
            at.other =
                at.other_which * P::C + (Alone ? item(which, g / 2 * 2 + 1) : item(1, g));
            at.local += R * i;
            at.other += R * (R3 - 1 - i);
            if (g == 0 && special) {
                at.local = i < R3 / 2 ? R * i : R / 2 + R * (i - R3 / 2);
                at.other = n == 0 ? P::C / 2 : P::C - at.local;
            }
            put_two(at, x[n], y[g * R3 + R3 - 1 - i], n == 0 && special, middle);
        }
    }

private:
    //! Groups of mirror images next to each other in x and y. Items 0 and R / 2 of part
    //! 0, those of thread 0, are mirror images of themselves.
    __device__ void bring_together(float2 (&x)[P::E], float2 (&y)[P::E]) const
    {
#pragma unroll
        for (int n = 0; n < P::E; n++) {
            if (n / R3 % 2 == 0) {
                const float2 kept = y[n];
                y[n] = x[n + R3];
                x[n + R3] = kept;
            }
        }
        if (t == 0) {
            float2 z[R3], w[R3];
#pragma unroll
            for (int i = 0; i < R3; i++) {
                z[i] = i < R3 / 2 ? x[i] : y[i - R3 / 2];
                w[i] = i < R3 / 2 ? x[(R3 - i) % R3] : y[R3 - 1 - (i - R3 / 2)];
            }
#pragma unroll
            for (int i = 0; i < R3; i++) {
                x[i] = z[i];
                y[R3 - 1 - i] = w[i];
            }
        }
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_SPLIT_FINISH_CUH */
