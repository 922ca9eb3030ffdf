/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_COPY_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_COPY_CUH

namespace gr::fringe::kernels {

// Copies of a number from global to shared memory that pass by the registers; before
// Ampere they cannot, and the functions that wait have nothing to wait for.

__device__ inline void copy_number(void* shared, const float* global)
{
#if __CUDA_ARCH__ >= 800
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(global)
                 : "memory");
#else
    *static_cast<float*>(shared) = *global;
#endif
}

//! Ends a group of copies.
__device__ inline void end_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

//! Waits for all groups of this thread but the latest `but`.
template <int but>
__device__ inline void wait_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(but) : "memory");
#endif
}

//! Adds to four numbers in memory; where the GPU can, without waiting for them.
__device__ inline void add_to(float4* to, float a, float b, float c, float d)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to),
                 "f"(a),
                 "f"(b),
                 "f"(c),
                 "f"(d)
                 : "memory");
#else
    float4 sum = *to;
    sum.x += a;
    sum.y += b;
    sum.z += c;
    sum.w += d;
    *to = sum;
#endif
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_COPY_CUH */
