/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PRODUCTS_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PRODUCTS_CUH

#include "kernels/xengine/cuda/tiles_copies.cuh"
#include <cstdint>

#if defined(FRINGE_HOPPER)

namespace gr::fringe::kernels::hopper {

// Products of a warpgroup.

//! Rows of 128 bytes in groups of 8, swizzled, from a multiple of 1024 bytes on.
__device__ inline std::uint64_t matrix_descriptor(const void* rows)
{
    constexpr std::uint64_t swizzle_128 = std::uint64_t(1) << 62;
    constexpr std::uint64_t group_stride = std::uint64_t(1024 >> 4) << 32;
    return swizzle_128 | group_stride | (std::uint64_t(1) << 16) |
           ((shared_address(rows) & 0x3ffff) >> 4);
}
//! 32 columns further.
constexpr std::uint64_t descriptor_step = 32 >> 4;

__device__ inline void begin_products()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commit_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Pending>
__device__ inline void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
//! Keeps the compiler from reading sums before the wait above this line.
template <int Count>
__device__ inline void settle(int (&sums)[Count])
{
#pragma unroll
    for (int k = 0; k < Count; k++) {
        asm volatile("" : "+r"(sums[k])::"memory");
    }
}

// clang-format off
#define FRINGE_4(s, k) "+r"(s[k]), "+r"(s[k + 1]), "+r"(s[k + 2]), "+r"(s[k + 3])
#define FRINGE_16(s, k) FRINGE_4(s, k), FRINGE_4(s, k + 4), FRINGE_4(s, k + 8), FRINGE_4(s, k + 12)
#define FRINGE_32(s, k) FRINGE_16(s, k), FRINGE_16(s, k + 16)
#define FRINGE_NAMES_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define FRINGE_NAMES_32 FRINGE_NAMES_16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define FRINGE_NAMES_64 FRINGE_NAMES_32 \
    ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47" \
    ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define FRINGE_NAMES_96 FRINGE_NAMES_64 \
    ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" \
    ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define FRINGE_NAMES_128 FRINGE_NAMES_96 \
    ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111" \
    ",%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define FRINGE_WGMMA(columns, names, a, b, keep) \
    "{\n.reg .pred p;\nsetp.ne.b32 p, %" keep ", 0;\n" \
    "wgmma.mma_async.sync.aligned.m64n" columns "k32.s32.s8.s8 {" names "}, %" a ", %" b \
    ", p;\n}\n"
#define FRINGE_INPUTS "l"(a), "l"(b), "r"(keep)
// clang-format on

/*!
 * sums (+)= A B^T of 64 rows and 2 x Count rows of int8, 32 columns. Thread t of the
 * warpgroup holds, of row 16 (t / 32) + (t % 32) / 4 + 8 h and column 8 n + 2 (t % 4) + v,
 * the sum number 4 n + 2 h + v.
 */
__device__ inline void multiply(int (&s)[128], std::uint64_t a, std::uint64_t b, int keep)
{
    asm volatile(FRINGE_WGMMA("256", FRINGE_NAMES_128, "128", "129", "130")
                 : FRINGE_32(s, 0), FRINGE_32(s, 32), FRINGE_32(s, 64), FRINGE_32(s, 96)
                 : FRINGE_INPUTS);
}
__device__ inline void multiply(int (&s)[96], std::uint64_t a, std::uint64_t b, int keep)
{
    asm volatile(FRINGE_WGMMA("192", FRINGE_NAMES_96, "96", "97", "98")
                 : FRINGE_32(s, 0), FRINGE_32(s, 32), FRINGE_32(s, 64)
                 : FRINGE_INPUTS);
}
__device__ inline void multiply(int (&s)[64], std::uint64_t a, std::uint64_t b, int keep)
{
    asm volatile(FRINGE_WGMMA("128", FRINGE_NAMES_64, "64", "65", "66")
                 : FRINGE_32(s, 0), FRINGE_32(s, 32)
                 : FRINGE_INPUTS);
}
__device__ inline void multiply(int (&s)[32], std::uint64_t a, std::uint64_t b, int keep)
{
    asm volatile(FRINGE_WGMMA("64", FRINGE_NAMES_32, "32", "33", "34")
                 : FRINGE_32(s, 0)
                 : FRINGE_INPUTS);
}
__device__ inline void multiply(int (&s)[16], std::uint64_t a, std::uint64_t b, int keep)
{
    asm volatile(FRINGE_WGMMA("32", FRINGE_NAMES_16, "16", "17", "18")
                 : FRINGE_16(s, 0)
                 : FRINGE_INPUTS);
}

#undef FRINGE_4
#undef FRINGE_16
#undef FRINGE_32
#undef FRINGE_NAMES_16
#undef FRINGE_NAMES_32
#undef FRINGE_NAMES_64
#undef FRINGE_NAMES_96
#undef FRINGE_NAMES_128
#undef FRINGE_WGMMA
#undef FRINGE_INPUTS

} // namespace gr::fringe::kernels::hopper

#endif

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_TILES_PRODUCTS_CUH */
