/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// One core: X-engine beside OpenBLAS's cherk on the same data, beamformer beside its cgemm,
// F-engine beside FFTW alone, finding interference beside the chain that it is in. Pairs are timed
// in turn, so that a noisy machine disturbs both; medians are printed.

#include "kernels/base/aligned.h"
#include "kernels/beamformer/beamformer.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/kurtosis/detector.h"
#include "kernels/kurtosis/kurtosis.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>
#include <cblas.h>
#include <cstdio>
#include <ctime>
#include <fftw3.h>
#include <functional>
#include <gnuradio/fringe/threads.h>
#include <random>
#include <string>
#include <vector>

using namespace gr::fringe::kernels;
using samples = aligned_vector<std::complex<float>>;

namespace {

constexpr int rounds = 9;

double processor_time()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds(const std::function<void()>& job)
{
    const double began = processor_time();
    job();
    return processor_time() - began;
}

double median(std::vector<double> v)
{
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
}

// Median seconds of each of two jobs, run in turn after a warm-up.
std::pair<double, double> in_turn(const std::function<void()>& a,
                                  const std::function<void()>& b)
{
    a();
    b();
    std::vector<double> of_a, of_b;
    for (int k = 0; k < rounds; ++k) {
        of_a.push_back(seconds(a));
        of_b.push_back(seconds(b));
    }
    return {median(of_a), median(of_b)};
}

samples noise(std::size_t count)
{
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    samples x(count);
    for (auto& v : x) {
        v = {normal(random), normal(random)};
    }
    return x;
}

void bench_xengine(std::size_t inputs, std::size_t channels, std::size_t spectra)
{
    const auto x = noise(inputs * spectra_row(channels) * spectra);
    xengine_params p{inputs, channels, spectra, component::f32};
    p.layout = cpu_layout(p);
    const auto engine = make_xengine(backend::cpu, p);
    samples sums(inputs * inputs * channels);
    const auto cherk = [&] {
        for (std::size_t c = 0; c < channels; ++c) {
            cblas_cherk(CblasRowMajor,
                        CblasUpper,
                        CblasNoTrans,
                        inputs,
                        spectra,
                        1.0f,
                        &x[c * inputs * spectra],
                        spectra,
                        1.0f,
                        &sums[c * inputs * inputs],
                        inputs);
        }
    };
    const auto [ours, theirs] =
        in_turn([&] { engine->accumulate(x.data(), 0, spectra); }, cherk);
    const double gcmac = 1e-9 * baselines(inputs) * channels * spectra;
    std::printf(
        "X-engine f32  %5zu inputs x %4zu channels  %6.2f Gcmac/s   cherk %6.2f   "
        "ratio %.2f\n",
        inputs,
        channels,
        gcmac / ours,
        gcmac / theirs,
        theirs / ours);
}

void bench_xengine_i8(std::size_t inputs, std::size_t channels, std::size_t spectra)
{
    std::vector<signed char> x(2 * inputs * spectra_row(channels) * spectra);
    std::mt19937 random(1);
    for (auto& v : x) {
        v = static_cast<signed char>(static_cast<int>(random() % 31) - 15);
    }
    xengine_params p{inputs, channels, spectra, component::i8};
    p.layout = cpu_layout(p);
    const auto engine = make_xengine(backend::cpu, p);
    std::vector<double> times;
    for (int k = 0; k <= rounds; ++k) {
        engine->clear();
        times.push_back(seconds([&] { engine->accumulate(x.data(), 0, spectra); }));
    }
    const double gcmac = 1e-9 * baselines(inputs) * channels * spectra;
    std::printf(
        "X-engine i8   %5zu inputs x %4zu channels  %6.2f Gcmac/s   (exact integers)\n",
        inputs,
        channels,
        gcmac / median(times));
}

// Voltages of beams beside cgemm on the same data, and the powers alone.
void bench_beamformer(std::size_t inputs, std::size_t beams)
{
    beamformer_params p;
    p.inputs = inputs;
    p.beams = beams;
    p.channels = 16;
    p.block_spectra = 512;
    const auto x = noise(p.channels * inputs * p.block_spectra);
    const auto weights = noise(beams * p.channels * inputs);
    samples out(p.channels * beams * p.block_spectra);
    const auto former = make_beamformer(backend::cpu, p);
    former->set_weights(weights.data());
    const std::complex<float> unit = 1, zero = 0;
    const auto cgemm = [&] {
        for (std::size_t c = 0; c < p.channels; ++c) {
            cblas_cgemm(CblasRowMajor,
                        CblasNoTrans,
                        CblasNoTrans,
                        beams,
                        p.block_spectra,
                        inputs,
                        &unit,
                        &weights[c * inputs],
                        p.channels * inputs,
                        &x[c * inputs * p.block_spectra],
                        p.block_spectra,
                        &zero,
                        &out[c * beams * p.block_spectra],
                        p.block_spectra);
        }
    };
    const auto form = [&] { former->form(x.data(), 0, p.block_spectra, out.data()); };
    const auto add = [&] { former->add(x.data(), 0, p.block_spectra); };
    const auto [ours, theirs] = in_turn(form, cgemm);
    const double powers = in_turn(add, form).first;
    const double gcmac =
        1e-9 * static_cast<double>(inputs * beams * p.channels * p.block_spectra);
    std::printf(
        "Beams f32     %5zu inputs x %4zu beams     %6.2f Gcmac/s   cgemm %6.2f   "
        "ratio %.2f   powers %6.2f\n",
        inputs,
        beams,
        gcmac / ours,
        gcmac / theirs,
        theirs / ours,
        gcmac / powers);
}

void bench_channelizer(std::size_t channels, unsigned taps)
{
    channelizer_params p;
    p.inputs = 4;
    p.channels = channels;
    p.taps = taps;
    p.window = "hann";
    p.block_spectra = std::max<std::size_t>(16, 65536 / channels);
    const std::size_t count = p.block_spectra * channels;
    const auto x = noise(p.inputs * count);
    p.layout = cpu_layout({p.inputs, channels, p.block_spectra, component::f32});
    samples out(block_bytes(p) / sizeof(samples::value_type)), work(channels);
    const auto f = make_channelizer(backend::cpu, p);
    std::vector<std::uint64_t> clipped(p.inputs);
    auto* to = reinterpret_cast<fftwf_complex*>(work.data());
    // Planned on scratch: FFTW_MEASURE overwrites what it plans on.
    samples scratch(channels);
    const fftwf_plan plan =
        fftwf_plan_dft_1d(channels,
                          reinterpret_cast<fftwf_complex*>(scratch.data()),
                          to,
                          FFTW_FORWARD,
                          FFTW_MEASURE);
    const auto fftw = [&] {
        for (std::size_t s = 0; s < x.size(); s += channels) {
            auto* from = const_cast<std::complex<float>*>(&x[s]);
            fftwf_execute_dft(plan, reinterpret_cast<fftwf_complex*>(from), to);
        }
    };
    const auto [ours, theirs] = in_turn(
        [&] { f->process(x.data(), count, count, out.data(), clipped.data()); }, fftw);
    std::printf(
        "F-engine cf32 %5zu channels, %2u taps       %6.0f MS/s      FFTW alone %5.0f   "
        "ratio %.2f\n",
        channels,
        taps,
        1e-6 * x.size() / ours,
        1e-6 * x.size() / theirs,
        theirs / ours);
    fftwf_destroy_plan(plan);
}

// A window of 32 inputs x 256 channels: F- and X-engine alone, or with a search for interference.
class searched_chain
{
public:
    //! As the blocks do it, Channelizer, Kurtosis Flagger and X-engine: the flagger holds copies of
    //! a window's spectra, [channel][input][time], until it has decided. Or as FX Correlator does
    //! it: spectra as the transforms make them, sums of each window, decisions on these.
    enum class way { blocks, correlator };

    searched_chain(component in, std::size_t window, way how)
        : d_how(how), d_f(channelizer_of(in)), d_items(window / d_f.block_spectra)
    {
        const xengine_params x{d_f.inputs, d_f.channels, d_f.block_spectra, in};
        d_f.layout = how == way::blocks ? spectra_layout::channel_major : cpu_layout(x);
        d_channelizer = make_channelizer(backend::cpu, d_f);
        d_xengine = make_xengine(backend::cpu,
                                 {x.inputs, x.channels, x.block_spectra, in, d_f.layout});
        d_sums = make_kurtosis(backend::cpu,
                               {x.inputs, x.channels, x.block_spectra, in, d_f.layout});
        detector_params d;
        d.inputs = d_f.inputs;
        d.channels = d_f.channels;
        d.clip = in == component::i8 ? 127 : 0;
        d_detector = std::make_unique<detector>(d);
        d_valid.assign(d_f.inputs, static_cast<unsigned>(window));
        std::mt19937 random(1);
        std::normal_distribution<float> normal(0, 30);
        for (auto& v : d_raw) {
            v = static_cast<signed char>(std::clamp(normal(random), -127.0f, 127.0f));
        }
    }

    void plain()
    {
        for (std::size_t k = 0; k < d_items; ++k) {
            channelize();
            d_xengine->accumulate(d_spectra.data(), 0, d_f.block_spectra);
        }
        end_sum();
    }
    void searched()
    {
        char* const held = d_ring.data() + (d_half ^= 1) * d_items * d_spectra.size();
        for (std::size_t k = 0; k < d_items; ++k) {
            channelize();
            char* const copy =
                d_how == way::blocks ? held + k * d_spectra.size() : nullptr;
            d_sums->add(d_spectra.data(), d_f.block_spectra, copy);
            if (!copy) {
                d_xengine->accumulate(d_spectra.data(), 0, d_f.block_spectra);
            }
        }
        d_sums->read(d_s1.data(), d_s2.data());
        d_sums->clear();
        d_detector->detect(d_s1.data(), d_s2.data(), d_valid);
        for (std::size_t k = 0; k < d_items && d_how == way::blocks; ++k) {
            d_xengine->accumulate(held + k * d_spectra.size(), 0, d_f.block_spectra);
        }
        end_sum();
    }

private:
    static channelizer_params channelizer_of(component in)
    {
        channelizer_params p;
        p.inputs = 32;
        p.channels = 256;
        p.taps = 4;
        p.window = "hann";
        p.in = component::i8;
        p.requantize_bits = in == component::i8 ? 8 : 0;
        p.gains.assign(p.inputs, 0.5f);
        p.block_spectra = 16;
        return p;
    }
    void channelize()
    {
        const std::size_t count = d_f.block_spectra * d_f.channels;
        d_channelizer->process(
            d_raw.data(), count, count, d_spectra.data(), d_clipped.data());
    }
    void end_sum()
    {
        d_xengine->read(0, d_f.channels, d_values.data());
        d_xengine->clear();
    }

    const way d_how;
    channelizer_params d_f;
    const std::size_t d_items;
    std::size_t d_half = 0;
    std::unique_ptr<channelizer> d_channelizer;
    std::unique_ptr<xengine> d_xengine;
    std::unique_ptr<kurtosis> d_sums;
    std::unique_ptr<detector> d_detector;
    std::vector<std::uint32_t> d_valid;
    std::vector<signed char> d_raw =
        std::vector<signed char>(2 * d_f.inputs * d_f.channels * d_f.block_spectra);
    aligned_vector<char> d_spectra =
        aligned_vector<char>(d_f.inputs * d_f.block_spectra * spectra_row(d_f.channels) *
                             (d_f.requantize_bits ? 2 : 8));
    aligned_vector<char> d_ring =
        aligned_vector<char>(d_how == way::blocks ? 2 * d_items * d_spectra.size() : 0);
    samples d_values = samples(baselines(d_f.inputs) * d_f.channels);
    std::vector<float> d_s1 = std::vector<float>(d_f.inputs * d_f.channels), d_s2 = d_s1;
    std::vector<std::uint64_t> d_clipped = std::vector<std::uint64_t>(d_f.inputs);
};

// Of both ways, and the same chain without the search.
void bench_kurtosis(component in, std::size_t window)
{
    for (const auto how :
         {searched_chain::way::blocks, searched_chain::way::correlator}) {
        searched_chain chain(in, window, how);
        for (int k = 0; k < 40; ++k) { // limits and medians are there
            chain.searched();
        }
        const auto [with, without] =
            in_turn([&] { chain.searched(); }, [&] { chain.plain(); });
        std::printf(
            "Kurtosis %s    32 inputs x  256 channels  windows of %4zu, %s: %5.2f "
            "ms, chain without %6.2f ms   costs %+.1f %%\n",
            component_name(in),
            window,
            how == searched_chain::way::blocks ? "blocks       " : "FX Correlator",
            1e3 * (with - without),
            1e3 * without,
            100 * (with / without - 1));
    }
}

} // namespace

int main(int argc, char** argv)
{
    // Without arguments all; else what is named: xengine, beams, kurtosis, fengine.
    const std::vector<std::string> named(argv + 1, argv + argc);
    const auto wanted = [&](const char* name) {
        return named.empty() ||
               std::find(named.begin(), named.end(), name) != named.end();
    };
    gr::fringe::set_threads(1);
    std::printf("one core, processor time; median of %d, rivals timed in turn\n", rounds);
    if (wanted("xengine")) {
        for (std::size_t inputs : {2, 4, 8, 16, 32, 64, 128, 256}) {
            bench_xengine(inputs, inputs > 64 ? 64 : 256, 512);
        }
        for (std::size_t inputs : {2, 8, 32, 128}) {
            bench_xengine_i8(inputs, inputs > 64 ? 64 : 256, 512);
        }
    }
    if (wanted("beams")) {
        for (std::size_t inputs : {2, 8, 32, 64, 256}) {
            for (std::size_t beams : {1, 4, 16, 128}) {
                bench_beamformer(inputs, beams);
            }
        }
    }
    if (wanted("kurtosis")) {
        for (const component in : {component::f32, component::i8}) {
            for (std::size_t window : {256, 2048}) { // 2048: of 32 inputs
                bench_kurtosis(in, window);
            }
        }
    }
    if (wanted("fengine")) {
        for (unsigned taps : {1u, 4u, 16u}) {
            bench_channelizer(256, taps);
        }
        for (std::size_t channels : {1024, 4096, 1000}) {
            bench_channelizer(channels, 4);
        }
    }
    return 0;
}
