/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_KERNEL_CUH
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_KERNEL_CUH

#include "kernels/xengine/cuda/rows_reduce.cuh"
#include "kernels/xengine/cuda/rows_samples.cuh"

namespace gr::fringe::kernels {

/*!
 * The X-engine of small arrays. The lanes of a warp stand along time; each reads the
 * samples of up to 8 (4 + 8) inputs at its time and keeps the sums of their products in
 * registers; in the end the lanes are added up. So every byte is read once, in whole
 * lines, and memory is the limit.
 *
 * More than 8 inputs are cut into groups of 8: a warp takes a group against itself, or half
 * a group against a later one, which makes its work about the same. The warps of a block
 * share a channel, so that what one reads the others find in the cache.
 */
template <class S>
struct rows_work {
    const typename S::sample* spectra; //!< from the first spectrum on
    std::size_t stride;                //!< spectra between rows
    std::size_t channels;
    unsigned inputs;
    unsigned count; //!< spectra
    unsigned slice; //!< of them, those of a slice
    unsigned slices;
    bool aligned;          //!< all rows, for wide loads
    typename S::sum* sums; //!< [slice][channel][baseline], (re, im)
};

//! Parts that a channel is cut into, one a warp.
inline unsigned rows_parts(unsigned inputs)
{
    const unsigned groups = (inputs + 7) / 8;
    return groups + groups * (groups - 1);
}

//! rows x columns products, or the triangle of columns x columns ones where rows is 0.
//! `ahead`: steps that samples are read before they are multiplied.
template <class S, unsigned rows, unsigned columns, unsigned ahead>
__device__ void rows_multiply(
    const rows_work<S>& w, std::size_t channel, unsigned slice, unsigned i0, unsigned j0)
{
    constexpr bool triangle = rows == 0;
    constexpr unsigned products = triangle ? columns * (columns + 1) / 2 : rows * columns;
    constexpr unsigned values = (2 * products + 31) / 32 * 32;
    constexpr unsigned step = 32 * S::width;
    const unsigned lane = threadIdx.x % 32;
    typename S::sum v[values] = {};
    typename S::sum lacks[columns] = {};

    // Places within a channel fit into 32 bits.
    const auto base = w.spectra + channel * w.inputs * w.stride;
    const unsigned stride = static_cast<unsigned>(w.stride);
    const unsigned end = min(w.count, (slice + 1) * w.slice);
    constexpr unsigned inputs = rows + columns, sets = ahead > 0 ? ahead : 1;
    typename S::raw read[sets][inputs];
    const bool whole = w.aligned && j0 + columns <= w.inputs && i0 + rows <= w.inputs;
    const auto read_at = [&](typename S::raw(&to)[inputs], unsigned t) {
        if (whole && t - lane * S::width + step <= end) {
#pragma unroll
            for (unsigned n = 0; n < inputs; n++) {
                const unsigned input = n < columns ? j0 + n : i0 + n - columns;
                to[n] = S::load(base + (input * stride + t));
            }
            return;
        }
#pragma unroll
        for (unsigned n = 0; n < inputs; n++) {
            const unsigned input = n < columns ? j0 + n : i0 + n - columns;
            const unsigned there = t < end && input < w.inputs ? end - t : 0;
            to[n] = S::load(base + (input * stride + t), there);
        }
    };
    unsigned t = slice * w.slice + lane * S::width;
    if constexpr (ahead > 0) {
#pragma unroll
        for (unsigned d = 0; d < ahead; d++) {
            read_at(read[d], t + d * step);
        }
    }
    for (; t < end; t += sets * step) {
#pragma unroll
        for (unsigned d = 0; d < sets; d++) {
            if constexpr (ahead == 0) {
                read_at(read[d], t);
            }
            typename S::x x[inputs];
#pragma unroll
            for (unsigned n = 0; n < inputs; n++) {
                x[n] = S::prepare(read[d][n]);
            }
            if constexpr (ahead > 0) {
                read_at(read[d], t + (d + ahead) * step);
            }
            unsigned k = 0;
#pragma unroll
            for (unsigned i = 0; i < (triangle ? columns : rows); i++) {
#pragma unroll
                for (unsigned j = triangle ? i : 0; j < columns; j++, k += 2) {
                    S::add(v[k], v[k + 1], x[triangle ? i : columns + i], x[j]);
                }
            }
            if constexpr (S::corrects) {
#pragma unroll
                for (unsigned n = 0; n < columns; n++) {
                    S::correct(lacks[n], x[n]);
                }
            }
        }
    }
    if constexpr (S::corrects) {
        unsigned k = 1;
#pragma unroll
        for (unsigned i = 0; i < (triangle ? columns : rows); i++) {
#pragma unroll
            for (unsigned j = triangle ? i : 0; j < columns; j++, k += 2) {
                v[k] += lacks[j];
            }
        }
    }
    sum_over_lanes<values>(v);

    const std::size_t n = w.inputs, baselines = n * (n + 1) / 2;
    const auto sums = w.sums + 2 * baselines * (slice * w.channels + channel);
#pragma unroll
    for (unsigned k = 0; k < values / 32; k++) {
        const unsigned value = lane * (values / 32) + k, product = value / 2;
        unsigned i, j;
        if constexpr (triangle) {
            unsigned rest = product;
            i = 0;
            while (i < columns && rest >= columns - i) {
                rest -= columns - i++;
            }
            j = i + rest;
        } else {
            i = product / columns;
            j = product % columns;
        }
        i += i0;
        j += j0;
        if (product < products && i < n && j < n) {
            const std::size_t at = i * n - std::size_t(i) * (i + 1) / 2 + j;
            atomicAdd(&sums[2 * at + value % 2], v[k]); // nobody waits for it
        }
    }
}

//! Up to 8 inputs: a warp has a channel.
template <class S, unsigned inputs>
__global__ void __launch_bounds__(128) rows_few_kernel(const rows_work<S> w)
{
    const std::size_t n = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32;
    if (n < w.channels * w.slices) {
        constexpr unsigned ahead = inputs < 8 ? 8 / inputs : 1;
        rows_multiply<S, 0, inputs, ahead>(w, n / w.slices, n % w.slices, 0, 0);
    }
}

//! More: `parts` warps have a channel, those of a block neighboring parts.
template <class S, unsigned threads>
__global__ void __launch_bounds__(threads)
    rows_many_kernel(const rows_work<S> w, unsigned parts)
{
    const unsigned groups = (w.inputs + 7) / 8, warps = blockDim.x / 32;
    const unsigned blocks = (parts + warps - 1) / warps; // of a channel and slice
    const std::size_t n = blockIdx.x / blocks;
    unsigned part = blockIdx.x % blocks * warps + threadIdx.x / 32;
    if (part >= parts) {
        return;
    }
    const std::size_t channel = n / w.slices;
    const unsigned slice = n % w.slices;
    if (part < groups) {
        rows_multiply<S, 0, 8, 0>(w, channel, slice, 8 * part, 8 * part);
        return;
    }
    part -= groups;
    unsigned pair = part / 2, a = 0;
    while (pair >= groups - 1 - a) {
        pair -= groups - 1 - a++;
    }
    rows_multiply<S, 4, 8, 0>(
        w, channel, slice, 8 * a + part % 2 * 4, 8 * (a + 1 + pair));
}

//! [slice][channel][baseline] to [channel][baseline], autocorrelations without imaginary
//! part.
template <class Sum, class Wide>
__global__ void rows_read(const Sum* sums,
                          unsigned slices,
                          std::size_t channels,
                          unsigned inputs,
                          std::size_t first,
                          std::size_t count,
                          Sum* out)
{
    const std::size_t baselines = std::size_t(inputs) * (inputs + 1) / 2;
    const std::size_t total = count * baselines;
    for (std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; n < total;
         n += std::size_t(gridDim.x) * blockDim.x) {
        const auto from = sums + 2 * (first * baselines + n);
        Wide re = 0, im = 0;
        for (unsigned slice = 0; slice < slices; slice++) {
            re += from[2 * channels * baselines * slice];
            im += from[2 * channels * baselines * slice + 1];
        }
        std::size_t rest = n % baselines;
        unsigned i = 0;
        while (rest >= inputs - i) {
            rest -= inputs - i++;
        }
        out[2 * n] = static_cast<Sum>(re);
        out[2 * n + 1] = rest == 0 ? 0 : static_cast<Sum>(im);
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_ROWS_KERNEL_CUH */
