/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/cuda/samples.cuh"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256;
constexpr unsigned half_slots = beam_block::half;
constexpr unsigned width = plain_spectra;
constexpr unsigned depth = 16; //!< inputs in shared memory at a time

//! Of 64 spectra and 16 inputs, and of 64 beams and these inputs.
struct tile {
    float2 samples[depth][width];
    float2 weights[2][depth][half_slots];
};

__device__ void add_product(float2& sum, const float2& w, const float2& x)
{
    sum.x = fmaf(w.x, x.x, sum.x);
    sum.y = fmaf(w.x, x.y, sum.y);
    sum.x = fmaf(-w.y, x.y, sum.x);
    sum.y = fmaf(w.y, x.x, sum.y);
}

/*!
 * A thread block forms the 64 beams of a block in one channel, 64 spectra at a time. A thread
 * has spectra x + 16 n and beams y and y + 16 of both halves.
 */
template <class Samples, int Halves>
struct former {
    const beam_task& task;
    const Samples& samples;
    const std::size_t channel;
    const unsigned number; //!< of the block of beams
    tile& shared;
    const beam_block& block;
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    float2 sums[2][2][4];                       //!< [half][beam][spectrum]
    float power[2][2] = {}, product[2][2] = {}; //!< [half][beam]; [beam][Re, Im]

    //! Brings inputs k ... of a list, and their weights of `Halves` halves from `half` on.
    __device__ void bring(unsigned half, unsigned k, std::size_t t)
    {
        const unsigned count = block.counts[half];
        const auto list = task.w.lists + block.inputs[half];
        const std::size_t end = task.first + task.count;
        for (unsigned n = threadIdx.x; n < depth * width; n += threads) {
            const unsigned row = k + n / width;
            const std::size_t at = t + n % width;
            shared.samples[n / width][n % width] =
                row < count && at < end ? samples.at(channel, list[row], at)
                                        : make_float2(0, 0);
        }
        const auto all =
            static_cast<const float2*>(task.w.weights) + channel * task.w.channel_weights;
        for (unsigned n = threadIdx.x; n < Halves * depth * half_slots; n += threads) {
            const unsigned h = Halves == 2 ? n / (depth * half_slots) : half;
            const unsigned row = n / half_slots % depth, slot = n % half_slots;
            shared.weights[h][row][slot] =
                k + row < count ? all[block.weights[h] + (k + row) * half_slots + slot]
                                : make_float2(0, 0);
        }
    }

    template <int Half>
    __device__ void multiply(std::size_t t)
    {
        for (unsigned k = 0; k < block.counts[Half]; k += depth) {
            __syncthreads();
            bring(Half, k, t);
            __syncthreads();
#pragma unroll
            for (unsigned n = 0; n < depth; n++) {
                float2 v[4];
#pragma unroll
                for (int s = 0; s < 4; s++) {
                    v[s] = shared.samples[n][x + 16 * s];
                }
#pragma unroll
                for (int h = Half; h < Half + Halves; h++) {
#pragma unroll
                    for (int b = 0; b < 2; b++) {
                        const float2 w = shared.weights[h][n][y + 16 * b];
#pragma unroll
                        for (int s = 0; s < 4; s++) {
                            add_product(sums[h][b][s], w, v[s]);
                        }
                    }
                }
            }
        }
    }

    //! Beams of the spectra from t on: of all of them the sums are of zeros behind the end.
    __device__ void form(std::size_t t)
    {
#pragma unroll
        for (int n = 0; n < 16; n++) {
            sums[n / 8][n / 4 % 2][n % 4] = make_float2(0, 0);
        }
        multiply<0>(t);
        if constexpr (Halves == 1) {
            multiply<1>(t);
        }
    }

    __device__ void add()
    {
#pragma unroll
        for (int n = 0; n < 16; n++) {
            const float2 v = sums[n / 8][n / 4 % 2][n % 4];
            float& to = power[n / 8][n / 4 % 2];
            to = fmaf(v.x, v.x, fmaf(v.y, v.y, to));
            if (Halves == 1 && n < 8) {
                const float2 w = sums[1][n / 4][n % 4];
                float* const both = product[n / 4];
                both[0] = fmaf(v.x, w.x, fmaf(v.y, w.y, both[0]));
                both[1] = fmaf(v.y, w.x, fmaf(-v.x, w.y, both[1]));
            }
        }
    }

    __device__ int beam(int half, int b) const
    {
        return block.beams[half * half_slots + y + 16 * b];
    }

    __device__ void write(std::size_t t)
    {
        const auto& p = task.p;
#pragma unroll
        for (int n = 0; n < 16; n++) {
            const int which = beam(n / 8, n / 4 % 2);
            const std::size_t at = t + x + 16 * (n % 4);
            if (which >= 0 && at < task.first + task.count) {
                task.beams[(channel * p.beams + which) * p.block_spectra + task.to +
                           (at - task.first)] = sums[n / 8][n / 4 % 2][n % 4];
            }
        }
    }

    __device__ static float sum_of_row(float v)
    {
        for (int step = 8; step > 0; step /= 2) {
            v += __shfl_xor_sync(0xffffffff, v, step);
        }
        return v;
    }
    __device__ void put(bool there, std::size_t row, unsigned part, float v)
    {
        v = sum_of_row(v);
        if (there && x == 0) {
            task.sums[task.sum_at(part, row, channel)] = v;
        }
    }
    __device__ void send(unsigned part)
    {
#pragma unroll
        for (int n = 0; n < 4; n++) {
            const int which = beam(n / 2, n % 2);
            put(which >= 0, which, part, power[n / 2][n % 2]);
            if (Halves == 1 && n < 2) {
                put(which >= 0, task.p.beams + which, part, product[n][0]);
                put(which >= 0, task.p.beams + which + 1, part, product[n][1]);
            }
        }
    }
};

template <class Samples, int Halves>
__global__ void __launch_bounds__(threads)
    form_plain(const __grid_constant__ beam_task task, Samples samples)
{
    __shared__ tile shared;
    const unsigned number = blockIdx.x % task.w.count;
    const unsigned part = blockIdx.x / task.w.count % task.time_parts;
    const std::size_t channel = blockIdx.x / task.w.count / task.time_parts;
    const std::size_t steps = (task.count + width - 1) / width;
    former<Samples, Halves> f{
        task, samples, channel, number, shared, task.w.blocks[number]};
    const std::size_t end = steps * (part + 1) / task.time_parts;
    for (std::size_t n = steps * part / task.time_parts; n < end; n++) {
        const std::size_t t = task.first + n * width;
        f.form(t);
        if (task.beams) {
            f.write(t);
        } else {
            f.add();
        }
    }
    if (!task.beams) {
        f.send(part);
    }
}

} // namespace

unsigned time_parts(const cuda_context& c, const beam_task& t, std::size_t spectra)
{
    const std::size_t jobs = t.p.channels * t.w.count;
    const std::size_t wanted = (4 * std::size_t(c.multiprocessors) + jobs - 1) / jobs;
    const std::size_t steps = (t.count + spectra - 1) / spectra;
    return static_cast<unsigned>(std::min(wanted, steps));
}

void launch_plain(const cuda_context& c, const beam_task& t)
{
    const auto blocks = static_cast<unsigned>(t.p.channels * t.w.count * t.time_parts);
    with_samples(t, [&](const auto& samples) {
        using type = std::decay_t<decltype(samples)>;
        if (t.p.pairs) {
            form_plain<type, 1><<<blocks, threads, 0, c.compute>>>(t, samples);
        } else {
            form_plain<type, 2><<<blocks, threads, 0, c.compute>>>(t, samples);
        }
    });
    check_launch("beams");
}

} // namespace gr::fringe::kernels
