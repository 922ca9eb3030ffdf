/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PLAN_CUH
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PLAN_CUH

#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * A transform of C = R1 R2 R3 points in three passes, E points a thread:
 *
 *     n = c + (C / R1) j,  k = a1 + R1 (a2 + R2 a3)
 *
 * Pass 1 transforms over j, pass 2 and 3 the rest; between them points go through shared
 * memory, padded so that a half warp meets 16 different banks. A block works on a strip
 * of S spectra of one input, several at a time.
 */
template <int R1_, int R2_, int R3_, int E_, int S_, int Threads, int Blocks_>
struct plan {
    static constexpr int R1 = R1_, R2 = R2_, R3 = R3_, E = E_, S = S_, Blocks = Blocks_;
    static constexpr int C = R1 * R2 * R3;
    static constexpr int threads = Threads;
    static constexpr int lanes = C / E;             //!< threads of one transform
    static constexpr int at_once = threads / lanes; //!< transforms
    static constexpr int pitch_1 = C / R1 + (R1 < 16 ? 16 / R1 : 1);
    static constexpr int pitch_2 = R1 * R2 + (R1 == 8 ? 8 : 0);
    static constexpr int points_1 = R1 * pitch_1, points_2 = R3 * pitch_2;
    static constexpr int buffer = points_1 > points_2 ? points_1 : points_2;
    //! Mirrored bins meet in a thread after pass 3; otherwise they go through shared
    //! memory once more.
    static constexpr bool paired = R3 > 1 && (E / R3 == 2 || E / R3 == 4);
    //! Of strips: pieces of 16 spectra of neighboring channels in different banks.
    static constexpr int pitch = C + (S == 32 ? 2 : S > 32 ? 1 : 0);
    static constexpr std::size_t shared_bytes =
        at_once * buffer * sizeof(float2) + pitch * S * 2;
    static_assert(S % at_once == 0 && threads % lanes == 0 && E % R1 == 0 &&
                      E % R2 == 0 && E % R3 == 0,
                  "");
};

// Long strips make long writes: these are the longest that leave room for two blocks, or
// for 512 threads in one.
using plan_64 = plan<8, 8, 1, 8, 64, 256, 4>;
using plan_128 = plan<16, 8, 1, 16, 64, 256, 3>;
using plan_256 = plan<16, 16, 1, 16, 64, 256, 3>;
using plan_512 = plan<8, 16, 4, 16, 64, 256, 2>;
using plan_1024 = plan<16, 16, 4, 16, 32, 256, 2>;
using plan_2048 = plan<16, 16, 8, 16, 32, 512, 1>;

//! Calls `use` with the plan for this number of points, if there is one.
template <class Use>
bool with_plan(std::size_t points, Use use)
{
    switch (points) {
    case 64:
        return use(plan_64());
    case 128:
        return use(plan_128());
    case 256:
        return use(plan_256());
    case 512:
        return use(plan_512());
    case 1024:
        return use(plan_1024());
    case 2048:
        return use(plan_2048());
    }
    return false;
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_FUSED_PLAN_CUH */
