/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_CONSUMER_CUH
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_CONSUMER_CUH

#include "kernels/beamformer/cuda/tensor_jobs.cuh"

#if defined(FRINGE_HOPPER)

namespace gr::fringe::kernels::beams {

using namespace hopper;

//! A warpgroup that multiplies 128 of the 256 spectra.
template <bool Form, int Halves, int Parts>
struct consumer {
    using plan = stage_plan<Halves, Parts>;
    static constexpr int stages = plan::stages;

    const job& j;
    char* memory;
    ring<stages>& r;
    const int which, thread; //!< warpgroup, and its thread
    ring_place<stages> place = {};
    beam_sums sums[2][2];     //!< [half][two spectra of the four]
    float power[2][8] = {};   //!< [half][column / 8]
    float product[2][8] = {}; //!< of pairs: Re, Im

    __device__ consumer(const job& of, char* bytes, ring<stages>& with, int number)
        : j(of), memory(bytes), r(with), which(number), thread(threadIdx.x % warpgroup)
    {
#pragma unroll
        for (int n = 0; n < 128; n++) {
            sums[n / 64][n / 32 % 2][n % 32] = 0;
        }
    }

    //! Step k of a stage: 8 inputs.
    __device__ void bring(const char* samples, int k, beam_samples (&x)[2]) const
    {
        const int q = thread % 4, chunk = thread / 16;
        const char* const at =
            samples + (8 * k + q) * group + ((chunk ^ (2 * q)) * 16) + thread / 4 % 4 * 4;
        const auto word = [&](int offset) {
            return *reinterpret_cast<const unsigned*>(at + offset);
        };
        widen(word(0), word(4096), x[0][0], x[0][1], x[1][0], x[1][1]);
        widen(
            word(4 * group), word(4096 + 4 * group), x[0][2], x[0][3], x[1][2], x[1][3]);
    }

    //! Products of step k of a stage.
    template <int Half>
    __device__ void
    multiply_step(const beam_samples (&x)[2], std::uint64_t weights, int k, int keep)
    {
#pragma unroll
        for (int part = 0; part < Parts; part++) {
            const auto w = weights + k * descriptor_step +
                           std::uint64_t(part) * (Halves * weight_image >> 4);
#pragma unroll
            for (int m = 0; m < 2; m++) {
                if constexpr (Halves == 2) {
                    multiply_beams(sums[0][m], sums[1][m], x[m], w, keep | part);
                } else {
                    multiply_beams(sums[Half][m], x[m], w, keep | part);
                }
            }
        }
    }

    template <int Half>
    __device__ void multiply_pass()
    {
        const unsigned count = beam_block::stages(j.block().counts[Half]);
        beam_samples x[2][2][2] = {}; // [two steps in turn][step][m]
        int before = -1;
#pragma unroll 1
        for (unsigned s = 0; s < count; s++) {
            wait(&r.full[place.stage], place.phase);
            const char* const stage = memory + place.stage * plan::bytes;
            const char* const samples = stage + which * (sample_bytes / 2);
            const auto weights = matrix_descriptor(stage + sample_bytes);
#pragma unroll
            for (int turn = 0; turn < 2; turn++) {
                bring(samples, 2 * turn, x[turn][0]);
                bring(samples, 2 * turn + 1, x[turn][1]);
                begin_products();
                multiply_step<Half>(x[turn][0], weights, 2 * turn, s | turn);
                multiply_step<Half>(x[turn][1], weights, 2 * turn + 1, 1);
                commit_products();
                wait_for_products<1>();
                settle(x[1 - turn][0]); // read until now: no register of them was free
                settle(x[1 - turn][1]);
                if (turn == 0 && before >= 0) {
                    free_stage(before);
                }
            }
            before = place.stage;
            place.advance();
        }
        wait_for_products<0>();
        free_stage(before);
    }
    //! One thread arrives for its warp, after all threads of the warp have read the stage.
    __device__ void free_stage(int stage)
    {
        __syncwarp();
        if (!warps_arrive || thread % 32 == 0) {
            arrive(&r.empty[stage]);
        }
    }

    __device__ void consume()
    {
#pragma unroll 1
        for (int g = j.begin; g < j.end; g += 2) {
            multiply_pass<0>();
            if constexpr (Halves == 1) {
                multiply_pass<1>();
            }
#pragma unroll
            for (int n = 0; n < 4; n++) {
                settle(sums[n / 2][n % 2]);
            }
            // The first of the four spectra of this thread, relative to those wanted.
            const long long t = static_cast<long long>(g + which) * group +
                                thread / 4 * 4 - static_cast<long long>(j.task.first);
            if constexpr (Form) {
                write(t);
            } else {
                add(t);
            }
        }
        if constexpr (!Form) {
            share();
        }
    }

    __device__ bool wanted(long long t) const
    {
        return t >= 0 && t < static_cast<long long>(j.task.count);
    }

    //! Adds the powers of four spectra.
    __device__ void add(long long t)
    {
        if (!wanted(t) || !wanted(t + 3)) {
            leave_out(t);
        }
#pragma unroll
        for (int n = 0; n < 64; n++) {
            const int m = n / 32, k = n % 32, column = k / 4;
            power[0][column] = fmaf(sums[0][m][k], sums[0][m][k], power[0][column]);
            power[1][column] = fmaf(sums[1][m][k], sums[1][m][k], power[1][column]);
            if constexpr (Halves == 1) {
                const int other = k ^ 1; // Im of Re
                product[0][column] =
                    fmaf(sums[0][m][k], sums[1][m][k], product[0][column]);
                product[1][column] = fmaf(k % 2 ? sums[0][m][k] : -sums[0][m][k],
                                          sums[1][m][other],
                                          product[1][column]);
            }
        }
    }
    __device__ void leave_out(long long t)
    {
#pragma unroll
        for (int n = 0; n < 64; n++) {
            const int m = n / 32, k = n % 32;
            if (!wanted(t + 2 * m + k / 2 % 2)) {
                sums[0][m][k] = sums[1][m][k] = 0;
            }
        }
    }

    //! Writes the beams of four spectra.
    __device__ void write(long long t)
    {
        const auto& p = j.task.p;
        const auto scales =
            j.task.w.scales +
            (j.channel * j.task.w.count + j.block_number) * 2 * beam_block::half;
#pragma unroll
        for (int n = 0; n < 16; n++) {
            const int half = n / 8, column = n % 8;
            const int slot = half * beam_block::half + 4 * column + thread % 4;
            const int beam = j.block().beams[slot];
            const float scale = scales[slot];
            float2* const to = j.task.beams +
                               (j.channel * p.beams + max(beam, 0)) * p.block_spectra +
                               j.task.to;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (beam >= 0 && wanted(t + k)) {
                    const auto& of = sums[half][k / 2];
                    const int at = 4 * column + 2 * (k % 2);
                    to[t + k] = make_float2(scale * of[at], scale * of[at + 1]);
                }
            }
        }
    }

    //! Adds what the threads of a beam have, in shared memory.
    __device__ void share()
    {
#pragma unroll
        for (int n = 0; n < (Halves == 1 ? 32 : 16); n++) {
            float v = n < 16 ? power[n / 8][n % 8] : product[n / 8 - 2][n % 8];
#pragma unroll
            for (int step = 4; step < 32; step *= 2) {
                v += __shfl_xor_sync(0xffffffff, v, step);
            }
            if (thread % 32 < 4) {
                r.powers[which * 4 + thread / 32][thread % 4][n / 8][n % 8] = v;
            }
        }
    }
};

//! Writes the powers of a beam, and, a thread of the first half, its product with the second.
template <int Halves, int Stages>
__device__ void send(const job& j, const ring<Stages>& r, unsigned slot)
{
    const unsigned half = slot / beam_block::half, s = slot % beam_block::half;
    const int beam = j.block().beams[slot];
    if (beam < 0) {
        return;
    }
    const auto sum = [&](unsigned kind) {
        float all = 0;
        for (int warp = 0; warp < 8; warp++) {
            all += r.powers[warp][s % 4][kind][s / 4];
        }
        return all;
    };
    const auto scales = j.task.w.scales + (j.channel * j.task.w.count + j.block_number) *
                                              2 * beam_block::half;
    float* const to = j.task.sums;
    const auto at = [&](std::size_t row) {
        return j.task.sum_at(j.part, row, j.channel);
    };
    to[at(beam)] = scales[slot] * scales[slot] * sum(half);
    if (Halves == 1 && half == 0) {
        const float both = scales[slot] * scales[slot + beam_block::half];
        to[at(j.task.p.beams + beam)] = both * sum(2);
        to[at(j.task.p.beams + beam + 1)] = both * sum(3);
    }
}

} // namespace gr::fringe::kernels::beams

#endif

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_TENSOR_CONSUMER_CUH */
