/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Pulses and bursts blanked on a GPU, whose blocks stay in its memory: GB/s of voltages, beside
// copies of the blocks in and out (the blanker's two copies, without a search) and one core of
// the host. First what is blanked, and the voltages that are left, are compared with `generic`.
//
//     bench_cuda_blanking [--quick]

#include "cuda_timing.h"
#include "stages/blanking_windows.h"
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <type_traits>

using namespace gr::fringe;
using kernels::backend;
using kernels::blanking_params;
using kernels::check_cuda;
using kernels::component;

namespace {

std::size_t bytes_of(const blanking_params& p)
{
    return p.inputs * p.block_samples * (p.complex_samples ? 2 : 1) *
           kernels::component_bytes(p.in);
}

//! A number of unit power as a component.
template <class T>
T scaled(float x)
{
    if constexpr (std::is_same_v<T, float>) {
        return x;
    } else if constexpr (sizeof(T) == 2) {
        return static_cast<T>(std::lround(1000 * x));
    } else {
        return static_cast<T>(std::lround(std::min(std::max(10 * x, -127.f), 127.f)));
    }
}

//! A block of noise; pulses of two samples each 1000, of a radar, and a burst in some blocks. The
//! noise repeats, from another place on for each input: to draw and round all would take minutes.
template <class T>
void fill(const blanking_params& p, unsigned number, bool radar, T* block)
{
    std::mt19937 engine(number + 1);
    std::normal_distribution<float> normal;
    std::vector<float> noise(1 << 18);
    std::vector<T> rounded;
    for (float& x : noise) {
        x = normal(engine);
        rounded.push_back(scaled<T>(x));
    }
    const std::size_t parts = p.complex_samples ? 2 : 1, row = p.block_samples * parts;
    for (std::size_t i = 0; i < p.inputs; i++, block += row) {
        const std::size_t start = engine() % noise.size();
        for (std::size_t k = 0; k < row;) {
            const std::size_t at = (start + k) % noise.size();
            const std::size_t count = std::min(row - k, noise.size() - at);
            std::copy_n(&rounded[at], count, block + k);
            k += count;
        }
        const auto put = [&](std::size_t n, bool burst, bool pulse) {
            for (std::size_t k = n * parts; k < (n + 1) * parts; k++) {
                block[k] =
                    scaled<T>(noise[(start + k) % noise.size()] * (burst ? 1.3f : 1.0f) +
                              (pulse ? 8.0f : 0.0f));
            }
        };
        const bool bursts = number % 3 == 1;
        for (std::size_t n = 701;
             bursts && n < std::min<std::size_t>(p.block_samples, 9700);
             n++) {
            put(n, true, false);
        }
        for (std::size_t n = 0; radar && n < p.block_samples; n += n % 1000 ? 999 : 1) {
            put(n, bursts && n > 700 && n < 9700, true);
        }
    }
}

std::vector<char> some_block(const blanking_params& p, unsigned number, bool radar)
{
    std::vector<char> block(bytes_of(p));
    if (p.in == component::f32) {
        fill(p, number, radar, reinterpret_cast<float*>(block.data()));
    } else if (p.in == component::i16) {
        fill(p, number, radar, reinterpret_cast<std::int16_t*>(block.data()));
    } else {
        fill(p, number, radar, reinterpret_cast<std::int8_t*>(block.data()));
    }
    return block;
}

//! The same calls on the host and on the device.
bool same_as_generic(const blanking_params& p, const pulse_search& search)
{
    blanking_windows a(backend::generic, p, search), b(backend::cuda, p, search);
    const std::size_t bytes = bytes_of(p);
    const auto& gpu = kernels::context_of(0);
    kernels::cuda_array<char> device(gpu, bytes);
    std::vector<char> x(bytes), y(bytes);
    bool same = true;
    std::size_t blanked = 0;
    const auto take = [&] {
        while (a.ready()) {
            same = same && b.ready();
            if (!same) {
                return;
            }
            const auto runs = a.take(x.data()), others = b.take(device.data());
            check_cuda(cudaStreamSynchronize(gpu.compute), "blanking");
            check_cuda(cudaMemcpy(y.data(), device.data(), bytes, cudaMemcpyDeviceToHost),
                       "copying voltages");
            same = same && x == y && runs.size() == others.size();
            for (std::size_t k = 0; same && k < runs.size(); k++) {
                same = runs[k].input == others[k].input &&
                       runs[k].first == others[k].first &&
                       runs[k].count == others[k].count;
                blanked += runs[k].count;
            }
        }
    };
    a.begin(0);
    b.begin(0);
    for (unsigned number = 0; number < 6 && same; number++) {
        const std::vector<char> block = some_block(p, number, true);
        std::vector<invalid_run> lost;
        if (number == 2) {
            lost.push_back({p.inputs - 1, 5, p.block_samples / 2});
        }
        check_cuda(cudaMemcpy(device.data(), block.data(), bytes, cudaMemcpyHostToDevice),
                   "copying voltages");
        a.add(block.data(), p.block_samples, lost);
        b.add(device.data(), p.block_samples, lost);
        check_cuda(cudaStreamSynchronize(gpu.compute), "blanking");
        take();
    }
    a.end();
    b.end();
    take();
    return same && blanked > 0;
}

//! GB/s of voltages through windows that are asked for.
template <class Wait>
double rate(blanking_windows& windows,
            const blanking_params& p,
            const std::vector<const void*>& in,
            void* out,
            int rounds,
            const Wait& wait)
{
    const auto run = [&](int blocks) {
        for (int k = 0; k < blocks; k++) {
            windows.add(in[k % in.size()], p.block_samples, {});
            while (windows.ready()) {
                windows.take(out);
            }
        }
        wait();
    };
    windows.begin(0);
    run(3);
    std::vector<double> seconds;
    for (int k = 0; k < 5; k++) {
        const auto began = std::chrono::steady_clock::now();
        run(rounds);
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
                .count());
    }
    std::sort(seconds.begin(), seconds.end());
    return static_cast<double>(bytes_of(p)) * rounds / seconds[2] * 1e-9;
}

void row(const kernels::cuda_context& gpu,
         const blanking_params& p,
         bool radar,
         int rounds,
         int host_rounds)
{
    const pulse_search search;
    const std::size_t bytes = bytes_of(p);
    const std::size_t copies = std::max<std::size_t>((std::size_t(256) << 20) / bytes, 2);
    kernels::cuda_array<char> device(gpu, (copies + 1) * bytes);
    std::vector<std::vector<char>> blocks;
    std::vector<const void*> on_gpu, on_host;
    blanking_params small = p;
    small.block_samples = 16384;
    for (unsigned k = 0; k < 2; k++) { // two blocks without bursts, in turn
        const auto block = some_block(p, 3 * k, radar);
        for (std::size_t n = k; n < copies; n += 2) {
            check_cuda(cudaMemcpy(device.data() + n * bytes,
                                  block.data(),
                                  bytes,
                                  cudaMemcpyHostToDevice),
                       "copying voltages");
        }
        blocks.push_back(some_block(small, 3 * k, radar));
        on_host.push_back(blocks.back().data());
    }
    for (std::size_t n = 0; n < copies; n++) {
        on_gpu.push_back(device.data() + n * bytes);
    }
    char* const out = device.data() + copies * bytes;
    const auto wait = [&] { check_cuda(cudaStreamSynchronize(gpu.compute), "blanking"); };
    blanking_windows windows(backend::cuda, p, search);
    const double found = rate(windows, p, on_gpu, out, rounds, wait);
    kernels::cuda_array<char> held(gpu, bytes);
    const double copied =
        kernels::time_of(gpu, 21, [&] {
            for (auto* to : {held.data(), out}) {
                check_cuda(
                    cudaMemcpyAsync(
                        to, device.data(), bytes, cudaMemcpyDeviceToDevice, gpu.compute),
                    "copying");
            }
        }).median;
    std::vector<char> host(bytes_of(small));
    blanking_windows on_cpu(backend::cpu, small, search);
    const double cpu = rate(on_cpu, small, on_host, host.data(), host_rounds, [] {});
    std::printf("%5zu x %7zu %3s %5s %9.1f %14.0f %13.2f\n",
                p.inputs,
                p.block_samples,
                kernels::component_name(p.in),
                radar ? "radar" : "noise",
                found,
                static_cast<double>(bytes) / copied * 1e-6,
                cpu);
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
        kernels::first_gpu();
        bool same = true;
        unsigned number = 0;
        for (const auto in : {component::i8, component::i16, component::f32}) {
            for (const bool is_complex : {true, false}) {
                for (const std::size_t inputs : {1, 3, 40}) {
                    for (const std::size_t window : {1040, 16384, 65536}) {
                        if (quick && number++ % 4 != 0) {
                            continue; // each value with some of the others
                        }
                        const bool here = same_as_generic({inputs, in, is_complex, 20011},
                                                          {1e-4, 4, window, {}});
                        same = same && here;
                        if (!here) {
                            std::printf("%zu inputs, %s, %s, window %zu: WRONG\n",
                                        inputs,
                                        kernels::component_name(in),
                                        is_complex ? "complex" : "real",
                                        window);
                        }
                    }
                }
            }
        }
        std::printf("blanked as by the generic backend: %s\n",
                    same ? "yes, bit by bit" : "NO");
        std::printf(
            "GB/s\ninputs x samples             blanked  two copies    a host core\n");
        const auto& gpu = kernels::context_of(0);
        const int rounds = quick ? 20 : 100, host_rounds = quick ? 4 : 32;
        for (const blanking_params& p : {blanking_params{32, component::i8, true, 262144},
                                         {64, component::i8, true, 131072},
                                         {512, component::i8, true, 327680},
                                         {64, component::f32, true, 131072}}) {
            for (const bool radar : {false, true}) {
                row(gpu, p, radar, rounds, host_rounds);
            }
        }
        return same ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
