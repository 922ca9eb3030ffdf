/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BENCH_CUDA_NOISE_H
#define INCLUDED_FRINGE_BENCH_CUDA_NOISE_H

#include "kernels/cuda/context.h"
#include "kernels/xengine/tiles.h"
#include <cuda_fp16.h>

// What the programs of this folder multiply.
namespace gr::fringe::kernels {

__device__ inline unsigned hash(unsigned long long n)
{
    n ^= n >> 31;
    n *= 0x9e3779b97f4a7c15ull;
    n ^= n >> 29;
    n *= 0xbf58476d1ce4e5b9ull;
    return static_cast<unsigned>(n >> 32);
}

//! What is correlated. Noise of an rms of a quarter of the range is what quantizers make of
//! the sky; uniform samples draw the most power, and with 8 bits R + I always wraps.
struct samples {
    const char* name;
    int maximum; //!< largest magnitude
    float rms;   //!< 0: uniform
};

__device__ inline int sample(const samples& s, unsigned long long n)
{
    const unsigned r = hash(n);
    if (s.rms == 0) {
        return static_cast<int>(r % (2u * s.maximum + 1)) - s.maximum;
    }
    const float u = ((r >> 16) + 1) / 65537.0f, v = (r & 0xffff) / 65536.0f;
    const float x = s.rms * sqrtf(-2 * logf(u)) * cospif(2 * v);
    return max(min(__float2int_rn(x), s.maximum), -s.maximum);
}

//! A thread block for 8 inputs x 128 spectra.
static __global__ void fill(tile_layout l, samples s, unsigned seed, std::int8_t* tiles)
{
    const std::size_t g = blockIdx.x % l.input_groups(),
                      c = blockIdx.x / l.input_groups();
    bool wrapped = false;
    for (std::size_t n = threadIdx.x; n < tile_layout::group; n += blockDim.x) {
        const std::size_t i = g * 8 + n / 128,
                          t = blockIdx.y * std::size_t(128) + n % 128;
        int re = 0, im = 0;
        if (i < l.inputs && t < l.block_spectra) {
            const auto k = 2 * (((((seed << 13) + c) << 13) + i) * l.block_spectra + t);
            re = sample(s, k);
            im = sample(s, k + 1);
        }
        const std::int8_t e = static_cast<std::int8_t>(re + im);
        wrapped |= e != re + im;
        tiles[l.at(c, 0, i, t)] = static_cast<std::int8_t>(re);
        tiles[l.at(c, 1, i, t)] = static_cast<std::int8_t>(im);
        if (l.planes() == 3) {
            tiles[l.at(c, 2, i, t)] = e;
        }
    }
    wrapped = __syncthreads_or(wrapped);
    if (threadIdx.x == 0) {
        tiles[l.flag_at(c, g * 8, blockIdx.y * std::size_t(128))] = wrapped;
    }
}

constexpr samples noise4{"noise 4", 7, 2}, noise7{"noise 7", 63, 16},
    uniform7{"uniform 7", 63, 0}, uniform8{"uniform 8", 127, 0};

//! int8 or 16-bit floats.
template <class T>
__global__ void fill_row(samples s, T* to, std::size_t count)
{
    for (std::size_t n = blockIdx.x * std::size_t(256) + threadIdx.x; n < count;
         n += gridDim.x * std::size_t(256)) {
        to[n] = static_cast<T>(static_cast<float>(sample(s, n)));
    }
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_BENCH_CUDA_NOISE_H */
