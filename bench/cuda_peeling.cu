/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Peeling on a GPU: what a dump takes beside a copy of it within the GPU's memory. A dump of
// noise with sources of random directions; sums are those of one polarization and one group of
// channels, with a search for outliers, and come to the host.
//
//     bench_cuda_peeling [--quick]

#include "cuda_timing.h"
#include "kernels/base/types.h"
#include "kernels/device/device.h"
#include "kernels/peeling/backends.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <random>

using namespace gr::fringe::kernels;

namespace {

constexpr unsigned threads = 256;

//! Numbers between -1 and 1 that do not repeat themselves soon; no more is asked of them.
__global__ void fill_kernel(float* to, std::size_t count)
{
    for (std::size_t n = blockIdx.x * std::size_t(threads) + threadIdx.x; n < count;
         n += gridDim.x * std::size_t(threads)) {
        const unsigned mixed = unsigned(n * 2654435761u) ^ unsigned(n >> 7) * 40503u;
        to[n] = float(int(mixed * 2246822519u)) * (1.0f / 2147483648.0f);
    }
}

void fill(const cuda_context& c, float* to, std::size_t count)
{
    fill_kernel<<<2048, threads, 0, c.compute>>>(to, count);
    check_launch("fill_kernel");
}

peeling_params params_of(std::size_t stations,
                         std::size_t channels,
                         std::size_t sources,
                         std::size_t groups)
{
    peeling_params p;
    p.inputs = 2 * stations;
    p.antennas = stations;
    p.channels = channels;
    p.sources = sources;
    p.hands.resize(2);
    for (std::uint32_t i = 0; i < p.inputs; i++) {
        for (std::uint32_t j = i + 2; j < p.inputs; j += 2) {
            p.hands[i % 2].push_back(
                {std::uint32_t(baseline_index(i, j, p.inputs)), i / 2, j / 2});
        }
    }
    for (std::size_t g = 0; g < groups; g++) {
        p.groups.push_back({g * channels / groups, channels / groups});
    }
    for (std::size_t c = 0; c < channels; c++) {
        p.frequencies.push_back(135e6 + 30e3 * double(c));
    }
    return p;
}

double milliseconds(const std::chrono::steady_clock::time_point& since)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                     since)
        .count();
}

//! Median of host's times of a call that waits for the GPU.
template <class Job>
double host_median(int rounds, const Job& job)
{
    std::vector<double> times;
    for (int n = -2; n < rounds; n++) {
        const auto began = std::chrono::steady_clock::now();
        job();
        if (n >= 0) {
            times.push_back(milliseconds(began));
        }
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void row(const cuda_context& c, const peeling_params& p, std::size_t item, int rounds)
{
    const std::size_t products = baselines(p.inputs), values = p.channels * products;
    const cuda_array<std::complex<float>> in(c, values), out(c, values);
    const cuda_array<float> weights(c, values), weights_out(c, values);
    fill(c, reinterpret_cast<float*>(in.data()), 2 * values);
    fill(c, weights.data(), values); // half of the cells are lost
    const auto kernel = peeling_factory().make({backend::cuda, 0}, p);
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> part(0, 2 * M_PI);
    peeling_sky sky;
    for (std::size_t n = 0; n < p.sources * p.channels * p.antennas; n++) {
        const double phase = part(engine);
        sky.turns.push_back({float(std::cos(phase)), float(std::sin(phase))});
    }
    sky.lengths.assign(p.hands[0].size() + p.hands[1].size(), 30.0f);
    sky.tapers.assign(p.hands.size() * p.groups.size(), 3e8f * 5);
    const std::vector<std::complex<float>> trial(p.sources * p.antennas, 0.1f),
        gains(p.groups.size() * p.hands.size() * p.sources * p.antennas, 0.1f);
    const auto items = [&](const auto& each) {
        for (std::size_t first = 0; first < p.channels; first += item) {
            each(first, first * products);
        }
    };
    const double copy = time_of(c, rounds, [&] {
                            check_cuda(cudaMemcpyAsync(out.data(),
                                                       in.data(),
                                                       in.bytes(),
                                                       cudaMemcpyDeviceToDevice,
                                                       c.compute),
                                       "copying");
                            check_cuda(cudaMemcpyAsync(weights_out.data(),
                                                       weights.data(),
                                                       weights.bytes(),
                                                       cudaMemcpyDeviceToDevice,
                                                       c.compute),
                                       "copying");
                        }).median;
    const double take =
        time_of(c, rounds, [&] {
            items([&](std::size_t first, std::size_t at) {
                kernel->take(first, item, in.data() + at, weights.data() + at);
            });
        }).median;
    check_cuda(cudaStreamSynchronize(c.compute), "taking a dump");
    const double begin = host_median(rounds, [&] {
        kernel->begin(sky);
        check_cuda(cudaStreamSynchronize(c.compute), "beginning a dump");
    });
    peeling_sums s;
    const double sums = host_median(rounds, [&] { s = kernel->sums(0, 0, trial, 5.0f); });
    kernel->set_gains(gains);
    const double subtract =
        time_of(c, rounds, [&] {
            items([&](std::size_t first, std::size_t at) {
                kernel->subtract(first, item, out.data() + at, weights_out.data() + at);
            });
        }).median;
    const double cells = double(s.cells);
    std::printf("%4zu x %4zu x %zu %2zu  %7.2f %7.2f %7.2f %7.2f %6.1f %8.2f   %8.1f\n",
                p.inputs,
                p.channels,
                p.sources,
                p.groups.size(),
                copy,
                begin,
                take,
                sums,
                1e-6 * cells / sums,
                subtract,
                // Four searches for each polarization and group.
                begin + take + 4 * double(p.groups.size() * p.hands.size()) * sums +
                    subtract);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    if (argc > 1 && !quick) {
        std::fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    try {
        first_gpu(); // says which
        const cuda_context& c = context_of(0);
        std::printf(
            "milliseconds of a dump; sums: with outliers, of one polarization and "
            "one group of channels, half of whose\ncells are lost; in all with four "
            "of them each\n"
            "inputs x channels x sources, groups  copy   begin    take    sums "
            "Gcells/s subtract   in all\n");
        const int rounds = quick ? 5 : 21;
        for (const std::size_t sources : {1, 2, 4}) {
            row(c, params_of(256, 1024, sources, 1), 8, rounds);
        }
        row(c, params_of(256, 1024, 2, 8), 8, rounds);
        row(c, params_of(64, 1024, 2, 1), 64, rounds);
        row(c, params_of(24, 1024, 2, 1), 256, rounds);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
