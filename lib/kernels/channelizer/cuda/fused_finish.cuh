/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_FINISH_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_FINISH_CUH

#include "kernels/channelizer/cuda/fused_passes.cuh"
#include "kernels/channelizer/cuda/output.cuh"

namespace gr::fringe::kernels {

//! What becomes of the channels of a spectrum. Varies: see finish_call::varies().
template <class P, bool Real, bool Varies>
struct finisher {
    const finish_call& f;
    const strips pairs;
    const float2* corrections;
    const bool conjugate;
    unsigned clipped = 0;
    float2 turns{};

    //! Before spectrum s of the call.
    __device__ void begin(unsigned input, unsigned s)
    {
        turns = turns_of(f, input, s);
        if (s >= f.change) {
            corrections = f.next_corrections && input < f.block.inputs
                              ? f.next_corrections + input * P::C
                              : nullptr;
        }
    }
    __device__ float2 correct(unsigned channel, float2 x) const
    {
        x = corrections ? __ldg(corrections + channel) * x : x;
        if constexpr (Varies) {
            const int offset = static_cast<int>(channel) - P::C / 2;
            x = phasor<false>(turns_at(turns, offset)) * x;
        }
        return x;
    }

    //! Complex samples: one bin.
    __device__ void put(unsigned s, unsigned bin, float2 x)
    {
        const unsigned channel = ((conjugate ? P::C - bin : bin) + P::C / 2) % P::C;
        x = correct(channel, conjugate ? conj(x) : x);
        const float limit = f.limit + 0.5f;
        if (largest(x) >= limit) {
            clipped += beyond(x, limit);
        }
        pairs.put(channel, s, quantize(x, f.limit));
    }

    //! Real samples: bins k and C - k. Bin 0 comes with the bin in the middle, which is
    //! its own mirror image like itself; only where `first` is true, known when compiling.
    __device__ void
    put_two(unsigned s, unsigned k, float2 z, float2 y, bool first, float2 middle)
    {
        unsigned other = P::C - k;
        float2 at_k, mirror;
        real_halves(z, y, __ldg(f.half_turn + k), conjugate, at_k, mirror);
        if (first && k == 0) {
            float2 unused;
            other = P::C / 2;
            real_halves(middle, middle, make_float2(0, -1), conjugate, mirror, unused);
        }
        at_k = correct(k, at_k);
        mirror = correct(other, mirror);
        const float limit = f.limit + 0.5f;
        if (fmaxf(largest(at_k), largest(mirror)) >= limit) {
            clipped += beyond(at_k, limit) + beyond(mirror, limit);
        }
        pairs.put(k, s, quantize(at_k, f.limit));
        pairs.put(other, s, quantize(mirror, f.limit));
    }

    //! A thread's bins from shared memory, where they stand in their order.
    __device__ void put_all(unsigned s, unsigned t, const float2* bins)
    {
#pragma unroll
        for (int j = 0; j < (Real ? P::E / 2 : P::E); j++) {
            const unsigned k = t + P::lanes * j;
            if constexpr (Real) {
                const unsigned other = j == 0 ? (P::C - k) % P::C : P::C - k;
                put_two(s, k, bins[k], bins[other], j == 0, bins[P::C / 2]);
            } else {
                put(s, k, bins[k]);
            }
        }
    }

    //! A thread's bins from its registers, as pass 3 of a paired plan leaves them.
    __device__ void put_all(unsigned s, unsigned t, float2 (&x)[P::E])
    {
        constexpr int R = P::R1 * P::R2, R3 = P::R3, half = R3 / 2;
        if constexpr (!Real) {
#pragma unroll
            for (int n = 0; n < P::E; n++) {
                put(s, item_of<P>(t, n / R3) + R * (n % R3), x[n]);
            }
        } else {
            const float2 middle = x[half];
            if (t == 0) { // groups 0 and 1: pairs within each
                float2 z[R3], y[R3];
#pragma unroll
                for (int i = 0; i < R3; i++) {
                    z[i] = i < half ? x[i] : x[R3 + i - half];
                    y[i] = i < half ? x[(R3 - i) % R3] : x[2 * R3 - 1 - (i - half)];
                }
#pragma unroll
                for (int i = 0; i < R3; i++) {
                    x[i] = z[i];
                    x[2 * R3 - 1 - i] = y[i];
                }
            }
#pragma unroll
            for (int n = 0; n < P::E / 2; n++) {
                const int h = n / R3, i = n % R3;
                unsigned k = item_of<P>(t, 2 * h) + R * i;
                if (h == 0 && i >= half && t == 0) {
                    k = R / 2 + R * (i - half);
                }
                put_two(s,
                        k,
                        x[2 * h * R3 + i],
                        x[2 * h * R3 + 2 * R3 - 1 - i],
                        n == 0,
                        middle);
            }
        }
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_FINISH_CUH */
