/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// On the GPU, each figure beside a ceiling of the same run: the float32 X-engine beside a
// loop of nothing but multiply-adds, small arrays, unpacking and integrating beside a copy
// within the device. --quick: fewer sizes, fewer rounds.

#include "kernels/cuda/context.h"
#include "kernels/integrator/cuda/backend.h"
#include "kernels/unpack/cuda/backend.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/packed_bits.h"
#include "kernels/unpack/stream_major_bits.h"
#include "kernels/xengine/cuda/backend.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

using namespace gr::fringe::kernels;

namespace {

int rounds = 20;
cuda_context context;
double peak_flops, copy_rate;

// Random floats between -1 and 1, or random bytes.
__global__ void fill(std::uint32_t* out, std::size_t words, bool floats)
{
    for (std::size_t n = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; n < words;
         n += std::size_t(gridDim.x) * blockDim.x) {
        std::uint32_t x = static_cast<std::uint32_t>(n) * 747796405u + 2891336453u;
        x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
        x ^= x >> 22;
        out[n] = floats ? __float_as_uint(static_cast<float>(x) * 0x1p-31f - 1.0f) : x;
    }
}

cuda_array<std::uint32_t> random_data(std::size_t bytes, bool floats)
{
    cuda_array<std::uint32_t> data(context, (bytes + 3) / 4);
    fill<<<1024, 256, 0, context.compute>>>(data.data(), data.size(), floats);
    check_launch("fill");
    return data;
}

// Median seconds of a job after a warm-up; it is given the number of its round.
double seconds(const std::function<void(int)>& job)
{
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "making an event");
    check_cuda(cudaEventCreate(&end), "making an event");
    std::vector<double> times;
    for (int k = -3; k < rounds; k++) {
        check_cuda(cudaEventRecord(begin, context.compute), "recording an event");
        job(k + 3);
        check_cuda(cudaEventRecord(end, context.compute), "recording an event");
        check_cuda(cudaEventSynchronize(end), "work on the GPU");
        float milliseconds = 0;
        check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "reading the time");
        if (k >= 0) {
            times.push_back(1e-3 * static_cast<double>(milliseconds));
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

// As many sets of data as fill the second-level cache several times over.
std::vector<cuda_array<std::uint32_t>> rotated(std::size_t bytes, bool floats)
{
    std::vector<cuda_array<std::uint32_t>> sets;
    const std::size_t count =
        std::max<std::size_t>(2, 6 * context.l2_bytes / std::max<std::size_t>(bytes, 1));
    for (std::size_t n = 0; n < std::min<std::size_t>(count, 64); n++) {
        sets.push_back(random_data(bytes, floats));
    }
    return sets;
}

constexpr int chains = 16, chain_steps = 4096;

__global__ void multiply_add(float* out, float a, float b)
{
    float s[chains];
    for (int k = 0; k < chains; k++) {
        s[k] = static_cast<float>(threadIdx.x + k);
    }
    for (int n = 0; n < chain_steps; n++) {
#pragma unroll
        for (int k = 0; k < chains; k++) {
            s[k] = fmaf(s[k], a, b);
        }
    }
    for (int k = 1; k < chains; k++) {
        s[0] += s[k];
    }
    if (s[0] == 12345.0f) {
        *out = s[0];
    }
}

void measure_ceilings()
{
    cuda_array<float> out(context, 1);
    const int blocks = 8 * context.multiprocessors;
    const double t = seconds([&](int) {
        multiply_add<<<8 * blocks, 256, 0, context.compute>>>(out.data(), 0.999f, 0.1f);
        check_launch("multiply_add");
    });
    peak_flops = 2.0 * 8 * blocks * 256 * chains * chain_steps / t;

    const std::size_t bytes = std::size_t(2) << 30;
    const auto from = random_data(bytes, false), to = random_data(bytes, false);
    copy_rate = 2.0 * static_cast<double>(bytes) / seconds([&](int) {
                    check_cuda(cudaMemcpyAsync(to.data(),
                                               from.data(),
                                               bytes,
                                               cudaMemcpyDeviceToDevice,
                                               context.compute),
                               "copying");
                });
    std::printf(
        "ceilings: multiply-add %.1f TFLOPS, copy within the device %.0f GB/s\n\n",
        peak_flops / 1e12,
        copy_rate / 1e9);
}

void bench_xengine(std::size_t inputs,
                   std::size_t channels,
                   std::size_t spectra,
                   bool f32)
{
    const xengine_params p{
        inputs, channels, spectra, f32 ? component::f32 : component::i8};
    const auto engine =
        f32 ? make_cuda_xengine_f32(context, p) : make_cuda_xengine_i8_rows(context, p);
    const std::size_t bytes = inputs * channels * spectra * (f32 ? 8 : 2);
    const auto sets = rotated(bytes, f32);
    const double t = seconds([&](int n) {
        if (!f32) {
            engine->clear();
        }
        engine->accumulate(sets[n % sets.size()].data(), 0, spectra);
    });
    const double flops =
        8.0 * static_cast<double>(baselines(inputs) * channels * spectra) / t;
    const double rate = static_cast<double>(bytes) / t;
    std::printf("%-4s %5zu %9zu %8zu %8.3f %8.2f %5.1f %% %8.0f %5.1f %%\n",
                f32 ? "cf32" : "ci8",
                inputs,
                channels,
                spectra,
                1e3 * t,
                flops / 1e12,
                100 * flops / peak_flops,
                rate / 1e9,
                100 * rate / copy_rate);
}

void bench_unpack(const char* name,
                  const encoding& from,
                  component to,
                  std::size_t streams,
                  std::size_t bytes)
{
    unpacker_params p;
    p.from = from;
    p.to = to;
    const std::size_t out_sample = from.sample_bytes(to);
    p.block_samples = 8 * bytes / (from.bits + 8 * out_sample) / streams / 1024 * 1024;
    p.rows.resize(streams);
    std::iota(p.rows.begin(), p.rows.end(), 0);
    const auto unpack = make_cuda_unpacker(context, p);
    const std::size_t in_bytes = from.bytes(streams, p.block_samples);
    const std::size_t out_bytes = streams * p.block_samples * out_sample;
    const auto in = random_data(in_bytes, false), out = random_data(out_bytes, false);
    const double t = seconds([&](int) { unpack->process(in.data(), out.data()); });
    const double rate = static_cast<double>(in_bytes + out_bytes) / t;
    std::printf("%-14s -> %-4s %5zu %8.3f %8.0f %5.1f %%\n",
                name,
                component_name(to),
                streams,
                1e3 * t,
                rate / 1e9,
                100 * rate / copy_rate);
}

void bench_integrator(bool integer, std::size_t inputs, std::size_t channels)
{
    const auto engine = make_cuda_integrator(context, {inputs, channels, integer});
    const std::size_t products = channels * baselines(inputs);
    const auto sums = random_data(8 * products, !integer);
    cuda_array<std::complex<float>> mean(context, products);
    cuda_array<float> weights(context, products);
    const std::vector<std::uint64_t> valid(baselines(inputs), 1000);
    const double add = seconds([&](int) { engine->add(0, channels, sums.data()); });
    const double give = seconds([&](int) {
        engine->mean(
            0, channels, valid.data(), 1000, nullptr, mean.data(), weights.data());
    });
    std::printf("%-5s %5zu %8zu   add %6.0f GB/s   mean %6.0f GB/s\n",
                integer ? "ci32" : "cf32",
                inputs,
                channels,
                40e-9 * static_cast<double>(products) / add,
                28e-9 * static_cast<double>(products) / give);
}

} // namespace

int main(int argc, char** argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    rounds = quick ? 10 : 20;
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, 0), "asking for the GPU");
    context.capability = 10 * properties.major + properties.minor;
    context.multiprocessors = properties.multiProcessorCount;
    context.shared_bytes = properties.sharedMemPerBlockOptin;
    context.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    check_cuda(cudaStreamCreateWithFlags(&context.compute, cudaStreamNonBlocking),
               "making a stream");
    std::printf("%s\n", properties.name);
    measure_ceilings();

    std::printf("X-engine  inputs channels spectra    ms   useful TFLOPS, of peak   "
                "GB/s, of copy\n");
    bench_xengine(32, 1024, 2048, true);
    bench_xengine(64, 512, 4096, true);
    bench_xengine(128, 256, 4096, true);
    bench_xengine(512, 64, 4096, true);
    bench_xengine(1024, 32, 4096, true);
    if (!quick) {
        bench_xengine(24, 2048, 1024, true);
        bench_xengine(48, 512, 2048, true);
        bench_xengine(80, 512, 2048, true);
        bench_xengine(96, 512, 2048, true);
        bench_xengine(127, 256, 4096, true);
        bench_xengine(2048, 8, 4096, true);
    }
    for (const std::size_t inputs : {2, 4, 8, 12, 16}) {
        bench_xengine(inputs, 4096, 1024, true);
    }
    for (const std::size_t inputs : {2, 4, 8, 12, 16}) {
        bench_xengine(inputs, 4096, 256, true);
    }
    for (const std::size_t inputs : {2, 4, 8, 12, 15}) {
        bench_xengine(inputs, 4096, 4096, false);
    }

    std::printf(
        "\nunpack                 streams   ms       GB/s, of copy (read + written)\n");
    const std::size_t bytes = std::size_t(1) << 30;
    for (const std::size_t streams : {1, 2, 4, 64, 512}) {
        bench_unpack(
            "i8", interleaved_encoding<decoders::i8>(), component::i8, streams, bytes);
        bench_unpack(
            "ci8", interleaved_encoding<decoders::ci8>(), component::i8, streams, bytes);
    }
    bench_unpack("2 bits", packed_bits(2, false), component::f32, 1, bytes);
    bench_unpack("2 bits", packed_bits(2, false), component::f32, 16, bytes);
    bench_unpack("4 + 4 bits", packed_bits(4, true), component::i8, 64, bytes);
    bench_unpack(
        "mwa16", interleaved_encoding<decoders::mwa16>(), component::i8, 64, bytes);
    bench_unpack(
        "ci16", interleaved_encoding<decoders::ci16>(), component::f32, 4, bytes);
    bench_unpack("stream bits", stream_major_bits(), component::i8, 24, bytes);

    std::printf("\nintegrator inputs channels\n");
    bench_integrator(true, 512, 64);
    bench_integrator(false, 512, 64);
    bench_integrator(false, 4, 65536);
    return 0;
}
