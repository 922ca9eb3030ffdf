/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/output.cuh"

namespace gr::fringe::kernels {

namespace {

constexpr unsigned threads = 256, lanes = 32;
//! Spectra of a strip.
template <bool Real, int Radix, bool Quantize>
constexpr int strip = !Quantize           ? 32
                      : Real && Radix > 1 ? 64
                                          : 128;

//! Four bins of one transform from those of its four parts, in place.
__device__ void radix_pass(float2 (&z)[4], const float2* turns, unsigned k, unsigned part)
{
    const float2 a = z[0], b = z[1] * turns[k], c = z[2] * turns[part + k],
                 d = z[3] * turns[2 * part + k];
    const float2 ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    const float2 turned = make_float2(b_d.y, -b_d.x);
    z[0] = ac + bd;
    z[1] = a_c + turned;
    z[2] = ac - bd;
    z[3] = a_c - turned;
}
__device__ void radix_pass(float2 (&)[1], const float2*, unsigned, unsigned) {}

/*!
 * A thread has bin k of every part and, of real spectra, the mirrored bin. blockIdx: x 32
 * bins, y strips, z inputs. In shared memory the strip: local channel = run * 32 + lane,
 * the runs of k first and then the mirrored ones.
 */
template <bool Real, int Radix, bool Quantize, bool Varies>
__global__ void __launch_bounds__(threads, 4)
    post(const finish_call f, const float2* __restrict__ turns)
{
    constexpr int S = strip<Real, Radix, Quantize>, runs = Real ? 2 * Radix : Radix;
    extern __shared__ std::uint32_t shared[];
    const unsigned points = static_cast<unsigned>(f.block.channels),
                   part = points / Radix;
    const unsigned lane = threadIdx.x % lanes, k0 = blockIdx.x * lanes, k = k0 + lane;
    const unsigned input = f.first_input + blockIdx.z, s0 = f.first + blockIdx.y * S;
    const bool present = input < f.block.inputs;
    const bool conjugate = present && f.conjugate[input];
    const unsigned end = Real ? part / 2 + 1 : part;
    const unsigned mirror = k == 0 ? 0 : part - k;

    const auto channel_of = [=](unsigned local) -> int {
        const unsigned own = k0 + local % lanes, run = local / lanes;
        if (own >= end) {
            return -1;
        }
        if (!Real) {
            const unsigned bin = conjugate ? points - own - run * part : own + run * part;
            return static_cast<int>((bin + points / 2) % points);
        }
        if (run < Radix) {
            return static_cast<int>(own + run * part);
        }
        if (own == 0 || 2 * own == part) {
            return -1; // its own mirror image
        }
        return static_cast<int>(part - own + (run - Radix) * part);
    };

    const auto correction = [&](const float2* corrections, int run) {
        const int channel = channel_of(run * lanes + lane);
        return corrections && present && channel >= 0
                   ? corrections[input * f.block.channels + channel]
                   : make_float2(1, 0);
    };
    float2 factor[runs]; // of all spectra
#pragma unroll
    for (int run = 0; run < runs && !Varies; run++) {
        factor[run] = correction(f.corrections, run);
    }
    float2 w[Radix];
#pragma unroll
    for (int r = 0; r < Radix; r++) {
        w[r] = Real && k < end ? f.half_turn[k + r * part] : make_float2(1, 0);
    }

    const strips pairs{shared, runs * lanes + 1};
    unsigned clipped = 0;
#pragma unroll(Radix > 1 ? 2 : 4)
    for (unsigned s = threadIdx.x / lanes; s < S; s += threads / lanes) {
        float2 x[runs] = {};
        [[maybe_unused]] float2 turned{};
        if constexpr (Varies) {
            turned = turns_of(f, input, s0 + s);
        }
        if (k < end && present && s0 + s < f.spectra) {
            const float2* row =
                f.in + (std::size_t(blockIdx.z) * f.rows + s0 + s - f.first) * points;
            float2 z[Radix];
#pragma unroll
            for (int q = 0; q < Radix; q++) {
                z[q] = row[q * part + k];
            }
            radix_pass(z, turns, k, part);
            if constexpr (Real) {
                float2 y[Radix];
#pragma unroll
                for (int q = 0; q < Radix; q++) {
                    y[q] = row[q * part + mirror];
                }
                radix_pass(y, turns, mirror, part);
#pragma unroll
                for (int r = 0; r < Radix; r++) {
                    constexpr int top = Radix - 1;
                    const float2 other = k == 0 ? y[(Radix - r) % Radix] : y[top - r];
                    real_halves(z[r], other, w[r], conjugate, x[r], x[Radix + top - r]);
                }
            } else {
#pragma unroll
                for (int r = 0; r < Radix; r++) {
                    x[r] = conjugate ? conj(z[r]) : z[r];
                }
            }
        }
#pragma unroll
        for (int run = 0; run < runs; run++) {
            const unsigned local = run * lanes + lane;
            float2 value = x[run];
            if constexpr (Varies) {
                const int offset = channel_of(local) - static_cast<int>(points / 2);
                const auto corrections =
                    s0 + s < f.change ? f.corrections : f.next_corrections;
                value = correction(corrections, run) * value;
                value = phasor<!Quantize>(turns_at(turned, offset)) * value;
            } else if (f.corrections) {
                value = factor[run] * value;
            }
            if constexpr (Quantize) {
                // Channels that are none must not count.
                if (channel_of(local) >= 0 && largest(value) >= f.limit + 0.5f) {
                    clipped += beyond(value, f.limit + 0.5f);
                }
                pairs.put(local, s, quantize(value, f.limit));
            } else {
                reinterpret_cast<float2*>(shared)[local * (S + 1) + s] = value;
            }
        }
    }
    __syncthreads();
    if constexpr (Quantize) {
        store_strip<S>(f, pairs, runs * lanes, channel_of, input, s0);
        count_clipped(f, input, clipped);
    } else {
        const auto out = static_cast<float2*>(f.out);
        for (unsigned n = threadIdx.x; n < runs * lanes * S; n += threads) {
            const unsigned local = n / S, s = s0 + n % S;
            const int channel = channel_of(local);
            if (channel >= 0 && s < f.spectra) {
                out[(channel * f.block.inputs + input) * f.block.block_spectra + s] =
                    reinterpret_cast<float2*>(shared)[local * (S + 1) + n % S];
            }
        }
    }
}

template <bool Real, int Radix, bool Quantize, bool Varies>
void launch(const cuda_context& c, const finish_call& f, const float2* turns)
{
    constexpr int S = strip<Real, Radix, Quantize>, runs = Real ? 2 * Radix : Radix;
    constexpr std::size_t bytes =
        Quantize ? (runs * lanes + 1) * S * 2 : runs * lanes * (S + 1) * sizeof(float2);
    const auto part = static_cast<unsigned>(f.block.channels / Radix);
    const auto kernel = post<Real, Radix, Quantize, Varies>;
    check_cuda(cudaFuncSetAttribute(kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)),
               "channelizer: shared memory");
    const dim3 grid(((Real ? part / 2 + 1 : part) + lanes - 1) / lanes,
                    (f.last - f.first + S - 1) / S,
                    f.inputs);
    kernel<<<grid, threads, bytes, c.compute>>>(f, turns);
    check_launch("channelizer: post");
}

template <bool Real, int Radix, bool Quantize>
void launch(const cuda_context& c, const finish_call& f, const float2* turns)
{
    f.varies() ? launch<Real, Radix, Quantize, true>(c, f, turns)
               : launch<Real, Radix, Quantize, false>(c, f, turns);
}

template <bool Real, int Radix>
void launch(const cuda_context& c, const finish_call& f, const float2* turns)
{
    f.quantize ? launch<Real, Radix, true>(c, f, turns)
               : launch<Real, Radix, false>(c, f, turns);
}

} // namespace

void launch_post(const cuda_context& c,
                 const finish_call& f,
                 unsigned radix,
                 const float2* turns)
{
    if (radix == 4) {
        f.complex_samples ? launch<false, 4>(c, f, turns) : launch<true, 4>(c, f, turns);
    } else {
        f.complex_samples ? launch<false, 1>(c, f, turns) : launch<true, 1>(c, f, turns);
    }
}

} // namespace gr::fringe::kernels
