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

constexpr unsigned threads = 128;

unsigned blocks_of(std::size_t count)
{
    return static_cast<unsigned>((count + threads - 1) / threads);
}

__device__ double sum_of_warp(double v)
{
    for (int step = 16; step > 0; step /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, step);
    }
    return v;
}

__global__ void add_parts(beam_task t, double* sums)
{
    const std::size_t n = blockIdx.x * std::size_t(threads) + threadIdx.x;
    const std::size_t cells = t.coherent_rows() * t.p.channels;
    if (n < cells) {
        double sum = 0;
        for (unsigned part = 0; part < t.time_parts; part++) {
            sum += static_cast<double>(t.sums[part * cells + n]);
        }
        sums[n] += sum;
    }
}

//! A warp for an input of a channel.
template <class Samples>
__global__ void input_powers(beam_task t,
                             Samples samples,
                             const std::uint16_t* read,
                             unsigned count,
                             double* powers)
{
    const std::size_t n = (blockIdx.x * std::size_t(threads) + threadIdx.x) / 32;
    if (n >= t.p.channels * count) {
        return;
    }
    const std::size_t channel = n / count, input = read[n % count];
    double sum = 0;
    for (std::size_t s = threadIdx.x % 32; s < t.count; s += 32) {
        const float2 v = samples.at(channel, input, t.first + s);
        sum += static_cast<double>(fmaf(v.x, v.x, v.y * v.y));
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) {
        powers[channel * t.p.inputs + input] += sum;
    }
}

//! sum_i |w|^2 A of a beam and a channel: a warp's work.
__device__ double
incoherent(const beam_sums_there& s, std::size_t beam, std::size_t channel)
{
    const float2* const w = s.weights + (beam * s.p.channels + channel) * s.p.inputs;
    const double* const a = s.powers + channel * s.p.inputs;
    double sum = 0;
    for (std::size_t i = threadIdx.x % 32; i < s.p.inputs; i += 32) {
        sum += static_cast<double>(fmaf(w[i].x, w[i].x, w[i].y * w[i].y)) * a[i];
    }
    return sum_of_warp(sum);
}

__global__ void keep_incoherent(beam_sums_there s)
{
    const std::size_t n = (blockIdx.x * std::size_t(threads) + threadIdx.x) / 32;
    if (n < s.p.beams * s.p.channels) {
        const double sum = incoherent(s, n / s.p.channels, n % s.p.channels);
        if (threadIdx.x % 32 == 0) {
            s.sums[(s.p.rows() - s.p.beams) * s.p.channels + n] += sum;
        }
    }
}

//! A warp for a cell.
__global__ void read_sums(beam_sums_there s, std::size_t average, float* out)
{
    const std::size_t n = (blockIdx.x * std::size_t(threads) + threadIdx.x) / 32;
    const std::size_t cells = s.p.channels / average;
    if (n >= s.p.rows() * cells) {
        return;
    }
    const std::size_t row = n / cells, first = n % cells * average;
    const std::size_t coherent = s.p.rows() - (s.powers ? s.p.beams : 0);
    double sum = 0;
    for (std::size_t c = threadIdx.x % 32; c < average; c += 32) {
        sum += s.sums[row * s.p.channels + first + c];
    }
    sum = sum_of_warp(sum);
    for (std::size_t c = 0; row >= coherent && c < average; c++) {
        sum += incoherent(s, row - coherent, first + c);
    }
    if (threadIdx.x % 32 == 0) {
        out[n] = static_cast<float>(sum);
    }
}

__global__ void write_means(beam_mean_sums s, float* out)
{
    const std::size_t n = blockIdx.x * std::size_t(threads) + threadIdx.x;
    if (n < s.values()) {
        out[n] = s.value(n);
    }
}

} // namespace

void launch_add_parts(const cuda_context& c, const beam_task& t, double* sums)
{
    add_parts<<<blocks_of(t.coherent_rows() * t.p.channels), threads, 0, c.compute>>>(
        t, sums);
    check_launch("powers of beams");
}

void launch_input_powers(const cuda_context& c,
                         const beam_task& t,
                         const std::uint16_t* read,
                         std::size_t count,
                         double* powers)
{
    if (count > 0) {
        with_samples(t, [&](const auto& samples) {
            input_powers<<<blocks_of(32 * t.p.channels * count), threads, 0, c.compute>>>(
                t, samples, read, static_cast<unsigned>(count), powers);
        });
        check_launch("powers of inputs");
    }
}

void launch_keep_incoherent(const cuda_context& c, const beam_sums_there& s)
{
    keep_incoherent<<<blocks_of(32 * s.p.beams * s.p.channels), threads, 0, c.compute>>>(
        s);
    check_launch("incoherent sums");
}

void launch_read(const cuda_context& c,
                 const beam_sums_there& s,
                 std::size_t average,
                 float* out)
{
    const std::size_t cells = s.p.rows() * s.p.channels / average;
    read_sums<<<blocks_of(32 * cells), threads, 0, c.compute>>>(s, average, out);
    check_launch("reading the powers of beams");
}

void launch_mean(const cuda_context& c, const beam_mean_sums& s, float* out)
{
    write_means<<<blocks_of(s.values()), threads, 0, c.compute>>>(s, out);
    check_launch("means of beams");
}

} // namespace gr::fringe::kernels
