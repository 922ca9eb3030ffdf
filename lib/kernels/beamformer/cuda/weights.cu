/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/cuda/task.h"
#include <algorithm>
#include <cuda_fp16.h>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;

//! The weights of a beam in a channel: a warp's work. Slots without a beam are zero.
struct slot_weights {
    const beam_block& block;
    const std::uint16_t* list;
    unsigned half, slot, count;
    const float2* weights; //!< null: no beam

    __device__ slot_weights(const beamformer_params& p,
                            const beam_weights_there& w,
                            const float2* all,
                            std::size_t channel,
                            unsigned n)
        : block(w.blocks[n / (2 * beam_block::half)]),
          half(n / beam_block::half % 2),
          slot(n % beam_block::half)
    {
        list = w.lists + block.inputs[half];
        count = block.counts[half];
        const int beam = block.beams[half * beam_block::half + slot];
        weights = beam < 0 ? nullptr : all + (beam * p.channels + channel) * p.inputs;
    }
    __device__ float2 at(unsigned k) const
    {
        return weights && k < count ? weights[list[k]] : make_float2(0, 0);
    }
};

__global__ void
pack(beamformer_params p, beam_weights_there w, const float2* weights, float2* packed)
{
    const unsigned n = (blockIdx.x * threads + threadIdx.x) / 32;
    if (n >= w.count * 2 * beam_block::half) {
        return;
    }
    for (std::size_t channel = blockIdx.y; channel < p.channels; channel += gridDim.y) {
        const slot_weights of(p, w, weights, channel, n);
        float2* const to =
            packed + channel * w.channel_weights + of.block.weights[of.half] + of.slot;
        for (unsigned k = threadIdx.x % 32; k < of.count; k += 32) {
            to[k * beam_block::half] = of.at(k);
        }
    }
}

//! The power of two above the largest part of a weight.
__device__ float scale_of(const slot_weights& of)
{
    float maximum = 0;
    for (unsigned k = threadIdx.x % 32; k < of.count; k += 32) {
        const float2 v = of.at(k);
        maximum = fmaxf(maximum, fmaxf(fabsf(v.x), fabsf(v.y)));
    }
    for (int step = 16; step > 0; step /= 2) {
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, step));
    }
    int exponent = 0;
    if (maximum > 0 && maximum < INFINITY) {
        frexpf(maximum, &exponent);
    }
    return ldexpf(1, max(min(exponent, 126), -126));
}

//! A beam's rows of all its images in a channel, from the first one on.
__device__ void write_rows(
    const slot_weights& of, float scale, unsigned parts, unsigned image, char* images)
{
    const unsigned row = 8 * (of.slot / 4) + 2 * (of.slot % 4);
    const unsigned end = beam_block::stages(of.count) * beam_block::stage;
    for (unsigned k = threadIdx.x % 32; k < end; k += 32) {
        float2 v = of.at(k);
        v = make_float2(v.x / scale, v.y / scale);
        char* to = images + k / beam_block::stage * parts * image * weight_image;
        for (unsigned part = 0; part < parts; part++, to += image * weight_image) {
            const __half re = __float2half_rn(v.x), im = __float2half_rn(v.y);
            const unsigned column = 2 * (k % beam_block::stage);
            for (unsigned r = row; r < row + 2; r++) {
                const unsigned at =
                    r * 128 + ((column / 8) ^ (r % 8)) * 16 + column % 8 * 2;
                *reinterpret_cast<__half2*>(to + at) =
                    r == row ? __halves2half2(re, __hneg(im)) : __halves2half2(im, re);
            }
            v = make_float2(v.x - __half2float(re), v.y - __half2float(im));
        }
    }
}

//! `image`: images from a stage's part to the next.
__global__ void pack_images(beamformer_params p,
                            beam_weights_there w,
                            unsigned image,
                            const float2* weights,
                            char* images,
                            float* scales)
{
    const unsigned n = (blockIdx.x * threads + threadIdx.x) / 32;
    const unsigned slots = w.count * 2 * beam_block::half;
    if (n >= slots) {
        return;
    }
    for (std::size_t channel = blockIdx.y; channel < p.channels; channel += gridDim.y) {
        const slot_weights of(p, w, weights, channel, n);
        const float scale = scale_of(of);
        if (threadIdx.x % 32 == 0) {
            scales[channel * slots + n] = scale;
        }
        const std::size_t first = channel * w.channel_weights + of.block.weights[of.half];
        write_rows(of, scale, w.parts, image, images + first * weight_image);
    }
}

//! x: an input; y: a channel, z: a beam.
__global__ void
steer_kernel(beamformer_params p, beam_steering_there towards, float2* weights)
{
    const unsigned i = blockIdx.x * threads + threadIdx.x;
    if (i >= p.inputs) {
        return;
    }
    for (std::size_t b = blockIdx.z; b < p.beams; b += gridDim.z) {
        const double first = towards.turns[b * p.inputs + i];
        const double slope = towards.slopes[b * p.inputs + i];
        for (std::size_t c = blockIdx.y; c < p.channels; c += gridDim.y) {
            float2 w = make_float2(0, 0);
            if (!isnan(first)) {
                const double turns = first + double(c) * slope;
                float sine, cosine;
                sincospif(2 * float(turns - rint(turns)), &sine, &cosine);
                const float2 f = towards.factors[c * p.inputs + i];
                w = make_float2(f.x * cosine - f.y * sine, f.x * sine + f.y * cosine);
            }
            weights[(b * p.channels + c) * p.inputs + i] = w;
        }
    }
}

dim3 warps_of(const beamformer_params& p, const beam_weights_there& w)
{
    const std::size_t slots = std::size_t(w.count) * 2 * beam_block::half;
    return dim3(static_cast<unsigned>((slots * 32 + threads - 1) / threads),
                static_cast<unsigned>(std::min<std::size_t>(p.channels, 65535)));
}

} // namespace

void launch_steer(const cuda_context& c,
                  const beamformer_params& p,
                  const beam_steering_there& towards,
                  float2* weights)
{
    const dim3 grid(static_cast<unsigned>((p.inputs + threads - 1) / threads),
                    static_cast<unsigned>(std::min<std::size_t>(p.channels, 65535)),
                    static_cast<unsigned>(std::min<std::size_t>(p.beams, 65535)));
    steer_kernel<<<grid, threads, 0, c.compute>>>(p, towards, weights);
    check_launch("steering beams");
}

void launch_pack(const cuda_context& c,
                 const beamformer_params& p,
                 const beam_weights_there& w,
                 const float2* weights,
                 float2* packed)
{
    pack<<<warps_of(p, w), threads, 0, c.compute>>>(p, w, weights, packed);
    check_launch("weights of beams");
}

void launch_pack_images(const cuda_context& c,
                        const beamformer_params& p,
                        const beam_weights_there& w,
                        const float2* weights,
                        char* images,
                        float* scales)
{
    pack_images<<<warps_of(p, w), threads, 0, c.compute>>>(
        p, w, p.pairs ? 1 : 2, weights, images, scales);
    check_launch("weights of beams");
}

} // namespace gr::fringe::kernels
