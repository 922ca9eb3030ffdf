/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/kurtosis/cuda/powers.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
//! Loads of a thread that are under way together.
constexpr unsigned ahead = 4;
//! Spectra of a cell that a group of threads adds up: 32 bits hold their powers.
constexpr std::size_t max_spectra = 65536;

//! Adds spectra t ... of a row that are before `count`; what a chunk holds of them.
template <class Chunk>
__device__ void
add_chunk(powers<std::int8_t>& p, const Chunk& v, unsigned t, unsigned count)
{
    constexpr unsigned words = (sizeof(Chunk) + 3) / 4;
    union {
        std::uint32_t word[words];
        Chunk all;
    } x;
    if constexpr (sizeof(Chunk) == 2) { // one spectrum
        x.word[0] = v;
    } else {
        x.all = v;
    }
    if (t + sizeof(Chunk) / 2 > count) {
#pragma unroll
        for (unsigned w = 0; w < words; w++) {
            const unsigned from = t + 2 * w;
            x.word[w] = from + 2 <= count ? x.word[w]
                        : from < count    ? x.word[w] & 0xffff
                                          : 0;
        }
    }
#pragma unroll
    for (unsigned w = 0; w < words; w++) {
        p.add(x.word[w]);
    }
}

template <class Chunk>
__device__ void add_chunk(powers<float>& p, const Chunk& v, unsigned t, unsigned count)
{
    constexpr unsigned spectra = sizeof(Chunk) / sizeof(float2);
    union {
        float2 x[spectra];
        Chunk all;
    } y;
    y.all = v;
#pragma unroll
    for (unsigned k = 0; k < spectra; k++) {
        if (t + k < count) { // what lies behind may be no number
            p.add(y.x[k].x, y.x[k].y);
        }
    }
}

//! 2^shift threads for a row; blockIdx.y: parts of `part` chunks of it. Nothing here
//! counts beyond 32 bits: an item has 2 GB at the most.
template <class T, class Chunk>
__global__ void __launch_bounds__(threads)
    sum_rows(const kurtosis_task<T> t, unsigned shift, unsigned chunks, unsigned part)
{
    constexpr unsigned spectra = sizeof(Chunk) / (2 * sizeof(T));
    const unsigned lanes = 1u << shift, lane = threadIdx.x & (lanes - 1);
    const unsigned cell = (blockIdx.x * threads + threadIdx.x) >> shift;
    const bool there = cell < t.cells();
    const auto count = static_cast<unsigned>(t.count);
    powers<T> p;
    if (there) {
        const std::size_t row = cell * (t.block.block_spectra / spectra);
        const auto in = static_cast<const Chunk*>(t.in) + row;
        const auto out = t.copy ? static_cast<Chunk*>(t.copy) + row : nullptr;
        const unsigned end = min(chunks, (blockIdx.y + 1) * part);
        for (unsigned k = blockIdx.y * part + lane; k < end; k += ahead * lanes) {
            Chunk v[ahead];
#pragma unroll
            for (unsigned n = 0; n < ahead; n++) {
                if (k + n * lanes < end) {
                    v[n] = __ldcs(in + k + n * lanes);
                }
            }
#pragma unroll
            for (unsigned n = 0; n < ahead; n++) {
                const unsigned at = k + n * lanes;
                if (at < end) {
                    if (out) {
                        out[at] = v[n];
                    }
                    add_chunk(p, v[n], at * spectra, count);
                }
            }
        }
    }
    add_to_cell(t, p, lanes, cell, there);
}

template <class T, class Chunk>
void launch(const cuda_context& c, const kurtosis_task<T>& t)
{
    constexpr std::size_t spectra = sizeof(Chunk) / (2 * sizeof(T));
    const std::size_t wanted = t.copy ? t.block.block_spectra : t.count;
    const std::size_t chunks = (wanted + spectra - 1) / spectra;
    // Some chunks a thread, and 128 bytes side by side where there are as many.
    const std::size_t best = std::max(chunks / ahead, std::min<std::size_t>(chunks, 8));
    unsigned shift = 0;
    while (shift < 5 && (1u << shift) < best) {
        shift++;
    }
    const std::size_t lanes = 1u << shift;
    const std::size_t grid = (t.cells() * lanes + threads - 1) / threads;
    // Few rows are cut into parts, for enough threads.
    const std::size_t fill = c.multiprocessors * (2048 / threads) * 2;
    const std::size_t least = ahead * lanes;
    const std::size_t parts = std::min<std::size_t>(
        std::max((fill + grid - 1) / grid, chunks * spectra / max_spectra + 1), 65535);
    const std::size_t part =
        std::min(std::max((chunks + parts - 1) / parts, least), max_spectra / spectra);
    const dim3 blocks(static_cast<unsigned>(grid),
                      static_cast<unsigned>((chunks + part - 1) / part));
    sum_rows<T, Chunk><<<blocks, threads, 0, c.compute>>>(
        t, shift, static_cast<unsigned>(chunks), static_cast<unsigned>(part));
    check_launch("kurtosis: sums of rows");
}

} // namespace

template <class T>
void launch_sum_rows(const cuda_context& c, const kurtosis_task<T>& t)
{
    if ((t.copy ? t.block.block_spectra : t.count) == 0) {
        return;
    }
    const std::size_t places = reinterpret_cast<std::size_t>(t.in) |
                               reinterpret_cast<std::size_t>(t.copy) |
                               t.block.block_spectra * 2 * sizeof(T);
    if (places % sizeof(uint4) == 0) {
        launch<T, uint4>(c, t);
    } else if (places % sizeof(uint2) == 0) {
        launch<T, uint2>(c, t);
    } else if constexpr (sizeof(T) == 1) {
        places % sizeof(unsigned) == 0 ? launch<T, unsigned>(c, t)
                                       : launch<T, unsigned short>(c, t);
    }
}

template void launch_sum_rows(const cuda_context&, const kurtosis_task<std::int8_t>&);
template void launch_sum_rows(const cuda_context&, const kurtosis_task<float>&);

} // namespace gr::fringe::kernels
