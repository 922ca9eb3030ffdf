/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The F-engine on a GPU: 8-bit real samples in, 8+8-bit spectra in tiles out, with
// filter, corrections, gains, requantizing and corner turn. Beside each figure the copy
// bound (2 bytes a sample) and cuFFT alone, measured in the same run. What is timed is
// compared with sums in double precision.
//
//     bench_cuda_channelizer [--quick] [--two-bits] [--workspace MB]
//
// path: auto, what a flowgraph gets (the transform and what follows in one kernel up to
// 2048 channels), and cuFFT with kernels of our own before and after it. tracked: with
// delays taken out that drift by a sample in 200 spectra, and how much that costs. Before these
// rows 2-bit samples of VDIF, unpacked to floats and to levels; --two-bits: only they.

#include "cuda_timing.h"
#include "kernels/channelizer/cuda/cufft.h"
#include "kernels/channelizer/cuda/fir.h"
#include "kernels/channelizer/cuda/paths.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/unpack/cuda/backend.h"
#include "kernels/unpack/packed_bits.h"
#include "kernels/xengine/tiles.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>

using namespace gr::fringe::kernels;

namespace {

constexpr std::size_t samples_of_a_call = std::size_t(1) << 27; // far more than the L2

//! Of one of some calls in a row, so that the host is ahead as it is in a flowgraph.
timing time_of_some(const cuda_context& c, int rounds, const std::function<void()>& job)
{
    constexpr int calls = 4;
    const auto t = time_of(c, rounds, [&] {
        for (int n = 0; n < calls; n++) {
            job();
        }
    });
    return {t.median / calls, t.fastest / calls, t.slowest / calls};
}

const char* name_of(transform_path path)
{
    return path == transform_path::cufft ? "cufft" : "own";
}

double gsps(double ms) { return samples_of_a_call / ms * 1e-6; }

channelizer_params params(std::size_t channels, unsigned taps, std::mt19937& engine)
{
    channelizer_params p;
    p.channels = channels;
    p.complex_samples = false;
    p.in = component::i8;
    p.taps = taps;
    p.window = taps > 1 ? "hamming" : "rectangular";
    p.block_spectra = std::max<std::size_t>(samples_of_a_call / 128 / channels, 128);
    p.inputs = samples_of_a_call / (2 * channels * p.block_spectra);
    p.requantize_bits = 8;
    p.layout = spectra_layout::tensor_tiles;
    std::uniform_real_distribution<float> turn(-3, 3);
    for (std::size_t n = 0; n < p.inputs * channels; n++) {
        p.corrections.push_back(std::polar(1.0f, turn(engine)));
    }
    p.gains.assign(p.inputs, 0.3f);
    return p;
}

constexpr double sample_rate = 1e9, middle_frequency = 1.4e9;

//! Whole samples of a delay, and the turns of phase of channel k that are left.
struct tracked_delay {
    std::ptrdiff_t shift = 0;
    double turns = 0;
};

tracked_delay tracked(const channelizer_params& p, double delay, std::size_t k)
{
    const double n = std::nearbyint(delay * sample_rate);
    const double of_channel = sample_rate * static_cast<double>(k) / p.points();
    const double sky = middle_frequency - sample_rate / 4 + of_channel;
    return {static_cast<std::ptrdiff_t>(n), sky * delay - of_channel * n / sample_rate};
}

//! Drifting delays, [input][spectrum], of at most 2000 samples.
std::vector<double> drifting_delays(const channelizer_params& p, std::mt19937& engine)
{
    std::vector<double> delays;
    std::uniform_real_distribution<double> start(-500, 500);
    for (std::size_t i = 0; i < p.inputs; i++) {
        const double first = start(engine);
        for (std::size_t s = 0; s < p.block_spectra; s++) {
            delays.push_back((first + static_cast<double>(s % 200000) / 200) /
                             sample_rate);
        }
    }
    return delays;
}

//! Largest distance from half a step of some outputs after a call with the samples of the
//! call before; delays may be empty.
double error_of(const channelizer_params& p,
                const std::vector<std::int8_t>& in,
                const std::vector<std::uint8_t>& out,
                const std::vector<double>& delays,
                std::mt19937& engine)
{
    const auto h = prototype(p.points(), p.taps, p.window);
    const std::size_t before =
        h.size() - p.points() +
        (p.max_shift_samples + p.points() - 1) / p.points() * p.points();
    const tile_layout tiles{p.inputs, p.channels, p.block_spectra};
    const std::size_t points = p.points(), stride = p.block_spectra * points;
    double worst = 0;
    for (int trial = 0; trial < 40; trial++) {
        const std::size_t k = engine() % p.channels, i = engine() % p.inputs;
        const std::size_t s = trial < 10 ? trial : engine() % p.block_spectra;
        std::complex<double> sum;
        const auto to = delays.empty() ? tracked_delay()
                                       : tracked(p, delays[i * p.block_spectra + s], k);
        for (std::size_t n = 0; n < h.size(); n++) {
            const std::size_t at =
                (s * points + n + 2 * stride - before + to.shift) % stride;
            sum +=
                h[n] * in[i * stride + at] *
                std::polar(1.0, -2 * M_PI * static_cast<double>(k * n % points) / points);
        }
        sum *= std::polar(1.0, 2 * M_PI * (to.turns - std::floor(to.turns)));
        sum *= std::complex<double>(p.corrections[i * p.channels + k]) *
               static_cast<double>(p.gains[i]) / std::sqrt(static_cast<double>(points));
        for (int plane = 0; plane < 2; plane++) {
            const double right =
                std::clamp(plane ? sum.imag() : sum.real(), -127.0, 127.0);
            const auto got = static_cast<std::int8_t>(out[tiles.at(k, plane, i, s)]);
            worst = std::max(worst, std::abs(got - right) - 0.5);
        }
    }
    return worst;
}

void row(const cuda_context& c,
         std::size_t channels,
         unsigned taps,
         transform_path path,
         int rounds,
         std::size_t workspace,
         double copy)
{
    std::mt19937 engine(static_cast<unsigned>(channels + taps));
    const auto p = params(channels, taps, engine);
    std::vector<std::int8_t> in(samples_of_a_call);
    for (std::size_t n = 0; n < in.size(); n += 4) {
        const std::uint32_t four = engine();
        std::memcpy(&in[n], &four, sizeof(four));
    }
    const tile_layout tiles{p.inputs, p.channels, p.block_spectra};
    cuda_array<std::int8_t> from(c, in.size());
    cuda_array<std::uint8_t> to(c, tiles.bytes());
    cuda_array<std::uint64_t> saturated(c, p.inputs);
    check_cuda(cudaMemcpy(from.data(), in.data(), in.size(), cudaMemcpyHostToDevice),
               "copying samples");
    check_cuda(cudaMemset(saturated.data(), 0, saturated.bytes()), "clearing");
    const std::size_t stride = p.block_spectra * p.points();
    std::vector<std::uint8_t> out(tiles.bytes());
    const auto run = [&](const channelizer_params& with,
                         const std::vector<double>& delays,
                         double& error) {
        const auto f = make_cuda_channelizer(c, with, path, workspace);
        const auto t = time_of_some(c, rounds, [&] {
            if (!delays.empty()) {
                f->steer(
                    {delays.data(), with.block_spectra, sample_rate, middle_frequency});
            }
            f->process(from.data(), stride, stride, to.data(), saturated.data());
        });
        check_cuda(cudaMemcpy(out.data(), to.data(), to.bytes(), cudaMemcpyDeviceToHost),
                   "copying spectra");
        error = error_of(with, in, out, delays, engine);
        return t;
    };
    double error = 0, tracked_error = 0;
    const auto all = run(p, {}, error);
    auto with_shift = p;
    with_shift.max_shift_samples = 2000;
    const auto delays = drifting_delays(p, engine);
    const auto tracking = run(with_shift, delays, tracked_error);

    // Its first kernel alone.
    const std::vector<float> ones(p.inputs, 1.0f), h(p.taps * 2 * channels, 1.0f);
    cuda_array<float> gains(c, ones.size()), coefficients(c, h.size());
    cuda_array<float2> filtered(c, samples_of_a_call / 2);
    check_cuda(cudaMemcpy(gains.data(), ones.data(), gains.bytes(), cudaMemcpyDefault),
               "copying");
    check_cuda(
        cudaMemcpy(
            coefficients.data(), h.data(), coefficients.bytes(), cudaMemcpyDefault),
        "copying");
    fir_call filter;
    filter.type = p.in;
    filter.in = from.data();
    filter.in_stride = stride;
    filter.fresh_rows = static_cast<unsigned>(p.block_spectra);
    filter.taps = taps;
    filter.components = static_cast<unsigned>(2 * channels);
    filter.coefficients = coefficients.data();
    filter.gains = gains.data();
    filter.inputs = static_cast<unsigned>(p.inputs);
    filter.spectra = static_cast<unsigned>(p.block_spectra - taps + 1);
    filter.keep_history = false;
    filter.out = filtered.data();
    filter.out_rows = static_cast<unsigned>(p.block_spectra);
    const auto fir = time_of(c, rounds, [&] { launch_fir(c, filter); });
    std::vector<int> shift(p.inputs * p.block_spectra);
    for (std::size_t n = 0; n < shift.size(); n++) {
        shift[n] = static_cast<int>(n % p.block_spectra / 200 % 1000);
    }
    cuda_array<int> shifts(c, shift.size());
    check_cuda(cudaMemcpy(shifts.data(), shift.data(), shifts.bytes(), cudaMemcpyDefault),
               "copying");
    filter.shifts = shifts.data();
    filter.shift_pitch = p.block_spectra;
    filter.spectra -= static_cast<unsigned>(1000 / p.points() + 1);
    const auto shifted = time_of(c, rounds, [&] { launch_shifted_fir(c, filter); });

    const cufft_transform cufft(c, channels, p.inputs * p.block_spectra);
    const auto transform = time_of(c, rounds, [&] { cufft.run(filtered.data()); });

    std::printf(
        "%8zu %5u %6s %8.0f [%4.0f ... %4.0f] %9.1f %% %8.0f %8.0f %8.0f %8.0f %6.2f   "
        "%s\n",
        channels,
        taps,
        name_of(path),
        gsps(all.median),
        gsps(all.slowest),
        gsps(all.fastest),
        100 * gsps(all.median) / copy,
        gsps(fir.median),
        gsps(shifted.median),
        gsps(transform.median),
        gsps(tracking.median),
        all.median / tracking.median,
        error < 5e-4 && tracked_error < 5e-4 ? "right" : "WRONG");
}

//! A few inputs, as in a laboratory: what one call takes.
void small(const cuda_context& c,
           std::size_t inputs,
           std::size_t channels,
           std::size_t spectra,
           transform_path path,
           int rounds)
{
    std::mt19937 engine(1);
    auto p = params(channels, 16, engine);
    p.inputs = inputs;
    p.corrections.resize(inputs * channels);
    p.gains.resize(inputs);
    p.block_spectra = spectra;
    const std::size_t stride = p.block_spectra * p.points();
    const tile_layout tiles{p.inputs, p.channels, p.block_spectra};
    cuda_array<std::int8_t> from(c, inputs * stride);
    cuda_array<std::uint8_t> to(c, tiles.bytes());
    cuda_array<std::uint64_t> saturated(c, inputs);
    check_cuda(cudaMemset(from.data(), 1, from.bytes()), "setting samples");
    check_cuda(cudaMemset(saturated.data(), 0, saturated.bytes()), "clearing");
    const auto delays = drifting_delays(p, engine);
    for (const std::size_t shift : {0, 2000}) {
        p.max_shift_samples = shift;
        const auto f = make_cuda_channelizer(c, p, path, std::size_t(512) << 20);
        const auto t = time_of(c, rounds, [&] {
            if (shift > 0) {
                f->steer({delays.data(), p.block_spectra, sample_rate, middle_frequency});
            }
            f->process(from.data(), stride, stride, to.data(), saturated.data());
        });
        std::printf(
            "%zu inputs, %zu channels, 16 taps, %zu spectra a call, %s%s: %.0f us "
            "[%.0f ... %.0f], %.2f GS/s\n",
            inputs,
            channels,
            spectra,
            name_of(path),
            shift > 0 ? ", tracked" : "",
            1e3 * t.median,
            1e3 * t.fastest,
            1e3 * t.slowest,
            static_cast<double>(inputs * stride) / t.median * 1e-6);
    }
}

//! 2-bit samples of 18 stations in files of a stream each, as of VDIF, tracked: what unpacking
//! and the F-engine take of a call, with voltages of this component.
void two_bits(const cuda_context& c, component in, int rounds)
{
    std::mt19937 engine(2);
    auto p = params(2048, 4, engine);
    p.in = in;
    p.inputs = 36;
    p.block_spectra = 512;
    p.max_shift_samples = 2000;
    p.corrections.clear();
    p.gains.assign(p.inputs, 30.0f);
    const std::size_t stride = p.block_spectra * p.points();
    unpacker_params u;
    u.from = packed_bits(2, false);
    u.to = in;
    u.block_samples = stride;
    u.files = p.inputs;
    for (std::size_t i = 0; i < p.inputs; i++) {
        u.rows.push_back(i);
    }
    std::vector<std::uint8_t> raw(p.inputs * stride / 4);
    for (auto& byte : raw) {
        byte = static_cast<std::uint8_t>(engine());
    }
    const tile_layout tiles{p.inputs, p.channels, p.block_spectra};
    cuda_array<std::uint8_t> from(c, raw.size()), to(c, tiles.bytes());
    cuda_array<std::uint8_t> voltages(c, p.inputs * stride * component_bytes(in));
    cuda_array<std::uint64_t> saturated(c, p.inputs);
    check_cuda(cudaMemcpy(from.data(), raw.data(), raw.size(), cudaMemcpyHostToDevice),
               "copying samples");
    check_cuda(cudaMemset(saturated.data(), 0, saturated.bytes()), "clearing");
    const auto delays = drifting_delays(p, engine);
    const auto unpack = make_cuda_unpacker(c, u);
    const auto f =
        make_cuda_channelizer(c, p, transform_path::automatic, std::size_t(512) << 20);
    const auto unpacking =
        time_of_some(c, rounds, [&] { unpack->process(from.data(), voltages.data()); });
    const auto spectra = time_of_some(c, rounds, [&] {
        f->steer({delays.data(), p.block_spectra, sample_rate, middle_frequency});
        f->process(voltages.data(), stride, stride, to.data(), saturated.data());
    });
    std::vector<std::uint8_t> out(tiles.bytes());
    check_cuda(cudaMemcpy(out.data(), to.data(), to.bytes(), cudaMemcpyDeviceToHost),
               "copying spectra");
    std::uint64_t sum = 0;
    for (std::size_t n = 0; n < out.size(); n++) {
        sum += out[n] * (n % 65521 + 1);
    }
    std::printf(
        "2 bits, 36 inputs, 2048 channels, 4 taps, 512 spectra, tracked, voltages of "
        "%s: unpacking %.0f us, F-engine %.0f us, sum of the spectra %016llx\n",
        component_name(in),
        1e3 * unpacking.median,
        1e3 * spectra.median,
        static_cast<unsigned long long>(sum));
}

} // namespace

int main(int argc, char** argv)
{
    bool quick = false, only_two_bits = false;
    std::size_t workspace = 512;
    for (int n = 1; n < argc; n++) {
        if (std::strcmp(argv[n], "--quick") == 0) {
            quick = true;
        } else if (std::strcmp(argv[n], "--two-bits") == 0) {
            only_two_bits = true;
        } else if (std::strcmp(argv[n], "--workspace") == 0 && n + 1 < argc) {
            workspace = std::strtoul(argv[++n], nullptr, 10);
        } else {
            std::fprintf(
                stderr, "usage: %s [--quick] [--two-bits] [--workspace MB]\n", argv[0]);
            return 2;
        }
    }
    try {
        const cuda_context c = first_gpu();
        const int rounds = quick ? 11 : 31;
        for (const auto in : {component::f32, component::level}) {
            two_bits(c, in, rounds);
        }
        if (only_two_bits) {
            return 0;
        }
        cuda_array<char> a(c, std::size_t(1) << 30), b(c, std::size_t(1) << 30);
        const auto copy = time_of(c, rounds, [&] {
            check_cuda(
                cudaMemcpyAsync(
                    a.data(), b.data(), a.bytes(), cudaMemcpyDeviceToDevice, c.compute),
                "copying");
        });
        const double bytes_per_ns = 2 * a.bytes() / copy.median * 1e-6;
        const double bound = bytes_per_ns / 2; // a byte in and a byte out each sample
        std::printf("device copy %.0f GB/s, so at most %.0f GS/s; samples of 8 bits, "
                    "spectra of 8 + 8 bits in tiles\n"
                    "channels  taps   path     GS/s                 of bound   filter"
                    "  shifted    cuFFT  tracked  ratio\n",
                    bytes_per_ns,
                    bound);
        const auto sizes = quick ? std::vector<std::size_t>{1024, 4096, 32768}
                                 : std::vector<std::size_t>{
                                       128, 256, 1024, 2048, 4096, 8192, 16384, 32768};
        for (const unsigned taps : {16u, 4u}) {
            for (const std::size_t channels : sizes) {
                for (const auto path :
                     {transform_path::automatic, transform_path::cufft}) {
                    row(c, channels, taps, path, rounds, workspace << 20, bound);
                }
            }
        }
        for (const auto path : {transform_path::automatic, transform_path::cufft}) {
            for (const std::size_t spectra : {16, 128, 1024}) {
                for (const std::size_t channels : {4096, 32768}) {
                    small(c, 2, channels, spectra, path, rounds);
                }
            }
            small(c, 8, 1024, 128, path, rounds);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
