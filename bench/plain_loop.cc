/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The correlator without a flowgraph: the kernels called one after the other on the blocks
// of a file, in one thread. Prints the seconds of processor time and those of the clock
// that it took, then the processor time of reading, unpack, channelizer, X-engine and
// integrator.
//
//   plain_loop FILE FORMAT INPUTS CHANNELS TAPS WINDOW BLOCK_SPECTRA DUMP_SPECTRA [BITS [FIRST COUNT]]
//
// BITS: spectra are requantized to 8 or 4, or are float32 (0). FIRST, COUNT: bytes of the file
// that are worked on, instead of all.

#include "io/recordings/recording.h"
#include "kernels/base/aligned.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/integrator/integrator.h"
#include "kernels/unpack/unpacker.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <gnuradio/fringe/threads.h>
#include <numeric>
#include <unistd.h>

using namespace gr::fringe;
using namespace gr::fringe::kernels;

namespace {

constexpr std::size_t longest_sum = 4096; // as fx_correlator's

double seconds(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

//! Adds to `sum` the seconds of processor time that job() takes.
template <class F>
void timed(double& sum, F&& job)
{
    const double began = seconds(CLOCK_THREAD_CPUTIME_ID);
    job();
    sum += seconds(CLOCK_THREAD_CPUTIME_ID) - began;
}

} // namespace

int main(int count, char** words)
{
    if (count != 9 && count != 10 && count != 12) {
        std::fprintf(stderr, "see the head of plain_loop.cc\n");
        return 2;
    }
    set_threads(1);
    const encoding& format = io::encoding_by_name(words[2]);
    channelizer_params f;
    f.inputs = std::strtoul(words[3], nullptr, 10);
    f.channels = std::strtoul(words[4], nullptr, 10);
    f.taps = static_cast<unsigned>(std::strtoul(words[5], nullptr, 10));
    f.window = words[6];
    f.block_spectra = std::strtoul(words[7], nullptr, 10);
    f.complex_samples = format.is_complex;
    f.in = format.natural;
    const std::size_t dump = std::strtoul(words[8], nullptr, 10);
    f.requantize_bits =
        count > 9 ? static_cast<unsigned>(std::strtoul(words[9], nullptr, 10)) : 0;
    const auto number = f.requantize_bits ? component::i8 : component::f32;
    const std::size_t samples = f.block_spectra * f.points();
    const std::size_t products = baselines(f.inputs) * f.channels;

    xengine_params x{f.inputs, f.channels, f.block_spectra, number};
    x.layout = f.layout = cpu_layout(x);
    const auto channelizer = make_channelizer(backend::cpu, f);
    const auto xengine = make_xengine(backend::cpu, x);
    const auto integrator =
        make_integrator(backend::cpu, {f.inputs, f.channels, f.requantize_bits > 0});
    unpacker_params u;
    u.from = format;
    u.to = f.in;
    u.block_samples = samples;
    u.rows.resize(f.inputs);
    std::iota(u.rows.begin(), u.rows.end(), 0);
    const auto unpack = make_unpacker(backend::cpu, u);
    aligned_vector<std::uint8_t> raw(format.bytes(f.inputs, samples));
    aligned_vector<std::uint8_t> voltages(f.inputs * samples * format.sample_bytes(f.in));
    aligned_vector<std::uint8_t> spectra(block_bytes(f));
    aligned_vector<std::complex<float>> sums(products), visibilities(products);
    std::vector<float> weights(products);
    std::vector<std::uint64_t> clipped(f.inputs), valid(baselines(f.inputs), dump);

    const int file = open(words[1], O_RDONLY);
    if (file < 0) {
        std::perror(words[1]);
        return 1;
    }
    std::size_t left = ~std::size_t(0); // bytes
    if (count > 11) {
        lseek(file, std::strtol(words[10], nullptr, 10), SEEK_SET);
        left = std::strtoul(words[11], nullptr, 10);
    }
    double stages[5] = {};
    std::size_t in_dump = 0, in_sum = 0;
    const double began = seconds(CLOCK_MONOTONIC);
    const double began_cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    const auto next_block = [&] {
        ssize_t got = 0;
        if (left < raw.size()) {
            return false;
        }
        left -= raw.size();
        timed(stages[0], [&] { got = read(file, raw.data(), raw.size()); });
        return got == static_cast<ssize_t>(raw.size());
    };
    while (next_block()) {
        timed(stages[1], [&] {
            unpack->process(raw.data(), voltages.data());
            unpack->count_saturated(voltages.data(), samples, clipped.data());
        });
        std::size_t made = 0;
        timed(stages[2], [&] {
            made = channelizer->process(
                voltages.data(), samples, samples, spectra.data(), clipped.data());
        });
        for (std::size_t done = 0; done < made;) {
            const std::size_t n =
                std::min({made - done, dump - in_dump, longest_sum - in_sum});
            timed(stages[3], [&] { xengine->accumulate(spectra.data(), done, n); });
            done += n;
            in_dump += n;
            in_sum += n;
            timed(stages[4], [&] {
                if (in_dump == dump || in_sum == longest_sum) {
                    xengine->read(0, f.channels, sums.data());
                    xengine->clear();
                    integrator->add(0, f.channels, sums.data());
                    in_sum = 0;
                }
                if (in_dump == dump) {
                    integrator->mean(0,
                                     f.channels,
                                     valid.data(),
                                     dump,
                                     nullptr,
                                     visibilities.data(),
                                     weights.data());
                    integrator->clear();
                    in_dump = 0;
                }
            });
        }
    }
    std::printf("%.6f %.6f",
                seconds(CLOCK_THREAD_CPUTIME_ID) - began_cpu,
                seconds(CLOCK_MONOTONIC) - began);
    for (const double stage : stages) {
        std::printf(" %.6f", stage);
    }
    std::printf("\n");
    close(file);
    return 0;
}
