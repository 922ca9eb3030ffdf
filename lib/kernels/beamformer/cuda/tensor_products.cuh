/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_PRODUCTS_CUH
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_PRODUCTS_CUH

#include "kernels/beamformer/cuda/task.h"
#include "kernels/xengine/cuda/tiles_products.cuh"

#if defined(FRINGE_HOPPER)

namespace gr::fringe::kernels::hopper {

//! The sums of 64 spectra and the 32 beams of a half, in a thread: Re and Im of beam 4 j + q,
//! q = thread % 4, in row h have the numbers 4 j + 2 h and 4 j + 2 h + 1.
using beam_sums = float[32];

//! Spectra of a thread of 64 rows, as 16 bits: what wgmma takes from registers.
using beam_samples = unsigned[4];

// clang-format off
#define FRINGE_4(s, k) "+f"(s[k]), "+f"(s[k + 1]), "+f"(s[k + 2]), "+f"(s[k + 3])
#define FRINGE_16(s, k) FRINGE_4(s, k), FRINGE_4(s, k + 4), FRINGE_4(s, k + 8), FRINGE_4(s, k + 12)
#define FRINGE_32(s) FRINGE_16(s, 0), FRINGE_16(s, 16)
#define FRINGE_NAMES_32 \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
    "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define FRINGE_NAMES_64 FRINGE_NAMES_32 \
    ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
    ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define FRINGE_WGMMA(columns, names, a, b, keep) \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" keep ", 0;\n" \
    "wgmma.mma_async.sync.aligned.m64n" columns "k16.f32.f16.f16 {" names "}, {" a \
    "}, %" b ", p, 1, 1, 0;\n}\n"
#define FRINGE_INPUTS "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(w), "r"(keep)
// clang-format on

//! Adds the products of 64 spectra of 8 inputs with the weights of both halves.
__device__ inline void multiply_beams(
    beam_sums& first, beam_sums& second, const beam_samples& x, std::uint64_t w, int keep)
{
    asm volatile(FRINGE_WGMMA("128", FRINGE_NAMES_64, "%64,%65,%66,%67", "68", "69")
                 : FRINGE_32(first), FRINGE_32(second)
                 : FRINGE_INPUTS);
}
//! The same with the weights of one half.
__device__ inline void
multiply_beams(beam_sums& sums, const beam_samples& x, std::uint64_t w, int keep)
{
    asm volatile(FRINGE_WGMMA("64", FRINGE_NAMES_32, "%32,%33,%34,%35", "36", "37")
                 : FRINGE_32(sums)
                 : FRINGE_INPUTS);
}

#undef FRINGE_4
#undef FRINGE_16
#undef FRINGE_32
#undef FRINGE_NAMES_32
#undef FRINGE_NAMES_64
#undef FRINGE_WGMMA
#undef FRINGE_INPUTS

__device__ inline void settle(beam_sums& sums)
{
#pragma unroll
    for (int k = 0; k < 32; k++) {
        asm volatile("" : "+f"(sums[k])::"memory");
    }
}

__device__ inline void settle(beam_samples (&x)[2])
{
#pragma unroll
    for (int k = 0; k < 8; k++) {
        asm volatile("" : "+r"(x[k / 4][k % 4])::"memory");
    }
}

//! Two bytes of a word, -128 ... 127, as 16-bit floats: 1024 + 128 + x has x in its last bits.
__device__ inline unsigned halves_of(unsigned bytes, unsigned select)
{
    const unsigned biased = __byte_perm(bytes, 0x64646464, select);
    unsigned out;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(out) : "r"(biased), "r"(0x64806480));
    return out;
}

//! Four spectra of an input, planes R and I, as (Re, Im) of each.
__device__ inline void
widen(unsigned re, unsigned im, unsigned& a, unsigned& b, unsigned& c, unsigned& d)
{
    re ^= 0x80808080;
    im ^= 0x80808080;
    const unsigned first = __byte_perm(re, im, 0x5140);
    const unsigned second = __byte_perm(re, im, 0x7362);
    a = halves_of(first, 0x4140);
    b = halves_of(first, 0x4342);
    c = halves_of(second, 0x4140);
    d = halves_of(second, 0x4342);
}

// For scripts/gpu_sanitize only: a producer that arrives before it copies, which racecheck must find.
#if defined(FRINGE_EARLY_ARRIVALS)
constexpr bool arrives_early = true;
#else
constexpr bool arrives_early = false;
#endif

#if defined(FRINGE_PLAIN_COPIES)
// For scripts/gpu_sanitize only, as racecheck may not know that a barrier counts copies: a thread
// copies by itself and then arrives, at the same barriers. And every thread that has read a stage
// says so, as racecheck does not always see that the one that speaks for its warp comes after them.
constexpr bool warps_arrive = false;
__device__ inline void copy_16(std::uint32_t to, const void* from)
{
    const uint4 v = *static_cast<const uint4*>(from);
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(v.x),
                 "r"(v.y),
                 "r"(v.z),
                 "r"(v.w)
                 : "memory");
}
__device__ inline void arrive_when_copied(std::uint64_t* barrier) { arrive(barrier); }
#else
constexpr bool warps_arrive = true; //!< where a stage is free: one thread for its warp
//! 16 bytes from global to shared memory; arrive_when_copied() follows.
__device__ inline void copy_16(std::uint32_t to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                 : "memory");
}
//! This thread arrives when all that it has asked for is there.
__device__ inline void arrive_when_copied(std::uint64_t* barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                     shared_address(barrier))
                 : "memory");
}
#endif

} // namespace gr::fringe::kernels::hopper

#endif

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_PRODUCTS_CUH */
