/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_REDUCE_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_REDUCE_CUH

namespace gr::fringe::kernels {

/*!
 * Sums `n` values over the lanes of a warp, each value for itself. In each of the five
 * steps two lanes share the values out between them: one hands over its first half, the
 * other its second, and each adds what it gets. In the end lane l has the sums of values
 * l n / 32 ... (l + 1) n / 32 - 1 in v[0] ...; n is a multiple of 32.
 */
template <unsigned n, unsigned mask = 16, class T, unsigned size>
__device__ inline void sum_over_lanes(T (&v)[size])
{
    const bool upper = threadIdx.x & mask;
#pragma unroll
    for (unsigned k = 0; k < n / 2; k++) {
        const T give = upper ? v[k] : v[k + n / 2];
        const T keep = upper ? v[k + n / 2] : v[k];
        v[k] = keep + __shfl_xor_sync(0xffffffff, give, mask);
    }
    if constexpr (mask > 1) {
        sum_over_lanes<n / 2, mask / 2>(v);
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_REDUCE_CUH */
