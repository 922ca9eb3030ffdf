/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The integer X-engine on a GPU, kernel only, beside what the chip does in the same run:
// useful TOPS are 8 x channels x spectra x inputs (inputs + 1) / 2 per second. Every size
// is compared with plain sums at some of its products. The last columns are of calls in a row for a second:
// the rate, the power by NVML's counter, the clock, and the rate for a watt.
//
//     bench_cuda_xengine [--quick] [STATIONS ...]
//
// Numbers of stations leave only these rows of the table.

#include "cublaslt.h"
#include "energy_counter.h"
#include "kernels/xengine/cuda/backend.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

using namespace gr::fringe::kernels;

namespace {

constexpr double nominal_tops = 1979; // of an H100 or H200, dense int8

//! Plain sums of a product of a channel; a thread block for each of the pairs.
__global__ void plain(
    tile_layout l, const std::int8_t* tiles, std::size_t c, const int2* pairs, int2* sums)
{
    __shared__ int re, im;
    re = im = 0;
    __syncthreads();
    const int i = pairs[blockIdx.x].x, j = pairs[blockIdx.x].y;
    for (std::size_t t = threadIdx.x; t < l.block_spectra; t += blockDim.x) {
        const int xr = tiles[l.at(c, 0, i, t)], xi = tiles[l.at(c, 1, i, t)];
        const int yr = tiles[l.at(c, 0, j, t)], yi = tiles[l.at(c, 1, j, t)];
        atomicAdd(&re, xr * yr + xi * yi);
        atomicAdd(&im, xi * yr - xr * yi);
    }
    __syncthreads();
    sums[blockIdx.x] = make_int2(re, im);
}

struct figure {
    double median, low, high;
};

//! Seconds of a job: the median and the spread of many.
figure seconds(const cuda_context& c, int runs, const std::function<void(int)>& job)
{
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "event");
    check_cuda(cudaEventCreate(&end), "event");
    std::vector<double> times;
    for (int k = -3; k < runs; k++) {
        check_cuda(cudaEventRecord(begin, c.compute), "timing");
        job(k + 3);
        check_cuda(cudaEventRecord(end, c.compute), "timing");
        check_cuda(cudaEventSynchronize(end), "timing");
        float ms;
        check_cuda(cudaEventElapsedTime(&ms, begin, end), "timing");
        if (k >= 0) {
            times.push_back(1e-3 * ms);
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return {
        times[times.size() / 2], times[times.size() / 10], times[times.size() * 9 / 10]};
}

//! Bytes read and written per second by a copy within the device.
double copy_rate(const cuda_context& c, int runs)
{
    constexpr std::size_t bytes = std::size_t(2) << 30;
    const cuda_array<char> from(c, bytes), to(c, bytes);
    check_cuda(cudaMemsetAsync(from.data(), 1, bytes, c.compute), "filling");
    const auto time = seconds(c, runs, [&](int) {
        check_cuda(
            cudaMemcpyAsync(
                to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, c.compute),
            "copying");
    });
    return 2.0 * bytes / time.median;
}

//! Products of three channels at random pairs of inputs; how many are wrong.
int count_wrong(const cuda_context& c,
                const tile_layout& l,
                const std::int8_t* tiles,
                const xengine& engine)
{
    constexpr int count = 512;
    std::mt19937 random(7);
    std::vector<int2> pairs(count), want(count), got(baselines(l.inputs));
    for (auto& p : pairs) {
        const int a = random() % l.inputs, b = random() % l.inputs;
        p = make_int2(std::min(a, b), std::max(a, b));
    }
    const cuda_array<int2> at(c, count), sums(c, count), all(c, got.size());
    // In the order of the stream: a plain copy may return before the data are there.
    check_cuda(
        cudaMemcpyAsync(
            at.data(), pairs.data(), at.bytes(), cudaMemcpyHostToDevice, c.compute),
        "up");
    int wrong = 0;
    for (const std::size_t channel : {std::size_t(0), l.channels / 2, l.channels - 1}) {
        check_cuda(cudaMemsetAsync(all.data(), 0x55, all.bytes(), c.compute), "poison");
        plain<<<count, 128, 0, c.compute>>>(l, tiles, channel, at.data(), sums.data());
        engine.read(channel, 1, all.data());
        check_cuda(cudaStreamSynchronize(c.compute), "checking");
        check_cuda(
            cudaMemcpy(want.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost),
            "down");
        check_cuda(
            cudaMemcpy(got.data(), all.data(), all.bytes(), cudaMemcpyDeviceToHost),
            "down");
        for (int k = 0; k < count; k++) {
            const auto g = got[baseline_index(pairs[k].x, pairs[k].y, l.inputs)];
            wrong += g.x != want[k].x || g.y != want[k].y;
        }
    }
    return wrong;
}

//! What a job takes when it goes on for a second: the chip is warm then, and its
//! power is at its limit. NVML's counter moves every tenth of a second.
struct sustained {
    double seconds = 0, watts = 0;
    unsigned megahertz = 0; //!< in the middle
};

sustained
sustain(const cuda_context& c, double estimate, const std::function<void(int)>& job)
{
    const energy_counter energy;
    sustained s;
    int k = 0;
    const auto some = [&](double time) {
        const int count = static_cast<int>(time / estimate) + 1;
        for (const int end = k + count; k < end; k++) {
            job(k);
        }
        return count;
    };
    const auto wait = [&] { check_cuda(cudaStreamSynchronize(c.compute), "waiting"); };
    some(0.3);
    wait();
    const auto began = std::chrono::steady_clock::now();
    const double joules = energy.works() ? energy.joules() : 0;
    int count = some(0.5);
    wait();
    s.megahertz = energy.clock();
    count += some(0.5);
    wait();
    const double used = energy.works() ? energy.joules() - joules : 0;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    s.seconds = took.count() / count;
    s.watts = used / took.count();
    return s;
}

struct size {
    std::size_t stations, channels, spectra;
    samples data;
};

bool bench(const cuda_context& c, const size& s, int runs, double copied, double gemm)
{
    xengine_params p;
    p.inputs = 2 * s.stations;
    p.channels = s.channels;
    p.block_spectra = s.spectra;
    p.in = component::i8;
    p.layout = spectra_layout::tensor_tiles;
    const tile_layout l{p.inputs, p.channels, p.block_spectra};
    const cuda_array<std::int8_t> tiles(c, l.bytes());
    fill<<<dim3(l.channels * l.input_groups(), l.time_groups()), 256, 0, c.compute>>>(
        l, s.data, static_cast<unsigned>(s.stations), tiles.data());
    check_launch("fill");
    const auto engine = make_cuda_xengine_i8_tiles(c, p);
    engine->accumulate(tiles.data(), 0, s.spectra);
    const int wrong = count_wrong(c, l, tiles.data(), *engine);
    const int fit = static_cast<int>(xengine::max_exact_spectra / s.spectra);
    const auto job = [&](int k) {
        if (k % fit == 0) {
            engine->clear();
        }
        engine->accumulate(tiles.data(), 0, s.spectra);
    };
    const auto time = seconds(c, runs, job);
    const auto on = sustain(c, time.median, job);
    const double work = 8.0 * s.channels * s.spectra * baselines(p.inputs);
    // Each sample read once, each sum written once.
    const double least =
        2.0 * s.channels * p.inputs * s.spectra + 8.0 * s.channels * baselines(p.inputs);
    const double tops = 1e-12 * work / time.median;
    const double bound = 1e-12 * work / (least / copied);
    std::printf(
        "%8zu %8zu %8zu %-9s %7.1f (%6.1f-%6.1f)  %8.3f  %8.0f %4.0f %%  %4.0f %%  ",
        s.stations,
        s.channels,
        s.spectra,
        s.data.name,
        tops,
        1e-12 * work / time.high,
        1e-12 * work / time.low,
        1e3 * time.median,
        bound,
        100 * tops / bound,
        100 * tops / nominal_tops);
    if (gemm > 0) {
        std::printf("%4.0f %%", 1e14 * tops / gemm);
    } else {
        std::printf("     -");
    }
    const double long_tops = 1e-12 * work / on.seconds;
    std::printf("  %6.0f %4.0f W %4u MHz %5.2f  %s\n",
                long_tops,
                on.watts,
                on.megahertz,
                on.watts > 0 ? long_tops / on.watts : 0,
                wrong ? "WRONG" : "exact");
    std::fflush(stdout);
    return wrong == 0;
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && !std::strcmp(argv[1], "--quick");
    std::vector<std::size_t> only;
    for (int n = 1 + quick; n < argc; n++) {
        only.push_back(std::strtoul(argv[n], nullptr, 10));
    }
    const int runs = quick ? 10 : 40;
    cuda_context c;
    cudaDeviceProp d;
    check_cuda(cudaGetDeviceProperties(&d, 0), "no GPU");
    c.capability = 10 * d.major + d.minor;
    c.multiprocessors = d.multiProcessorCount;
    c.shared_bytes = d.sharedMemPerBlockOptin;
    c.l2_bytes = d.l2CacheSize;
    check_cuda(cudaStreamCreateWithFlags(&c.compute, cudaStreamNonBlocking), "stream");
    const double copied = copy_rate(c, runs);
    const double gemm = gemm_rate<std::int8_t>(c, runs, {8192, 8192, 8192});
    std::printf("%s: copy within the device %.2f TB/s, ", d.name, 1e-12 * copied);
    if (gemm > 0) {
        std::printf("cuBLASLt int8 8192^3 %.0f TOPS", 1e-12 * gemm);
    } else {
        std::printf("no cuBLASLt");
    }
    std::printf(
        ", nominal %.0f TOPS; at most %.0f W\n", nominal_tops, energy_counter().limit());
    std::printf(
        "stations channels  spectra samples    useful TOPS (10-90 %%)         ms  memory "
        "bound     nominal  GEMM  for a second, TOPS, W, clock, TOPS/W\n");
    std::vector<size> sizes = {
        {8, 8192, 8192, noise7},
        {32, 2048, 8192, noise7},
        {64, 1024, 8192, noise7},
        {256, 256, 8192, noise7},
        {512, 128, 8192, noise7},
        {1024, 64, 8192, noise7},
        {2048, 32, 8192, noise7},
        {512, 128, 8192, uniform8},
        {1024, 64, 8192, uniform8},
    };
    if (!quick) {
        const std::vector<size> more = {
            {16, 4096, 8192, noise7},
            {128, 512, 8192, noise7},
            {256, 256, 8192, uniform8},
            {512, 128, 8192, uniform7},
            {1024, 64, 8192, uniform7},
            {2048, 32, 8192, uniform7},
            {1024, 64, 8192, noise4},
            {2048, 32, 8192, uniform8},
            {64, 8192, 1024, noise7},
            {256, 1280, 1024, noise7},
            {1024, 256, 1024, noise7},
            {1024, 256, 2048, noise7},
            {1024, 2, 8192, noise7},
            {4096, 4, 8192, noise7},
        };
        sizes.insert(sizes.end(), more.begin(), more.end());
    }
    bool good = true;
    for (const auto& s : sizes) {
        if (only.empty() ||
            std::find(only.begin(), only.end(), s.stations) != only.end()) {
            good &= bench(c, s, runs, copied, gemm);
        }
    }
    cudaStreamDestroy(c.compute);
    return good ? 0 : 1;
}
