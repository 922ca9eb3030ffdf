/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Every fast path against the generic reference: one table, a stated tolerance each.
#include "kernel_cases.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/integrator/integrator.h"
#include "kernels/unpack/decoders.h"
#include "kernels/unpack/stream_major_bits.h"
#include "kernels/xengine/xengine.h"
#include <boost/test/data/test_case.hpp>
#include <cmath>
#include <ostream>

using namespace gr::fringe::kernels;
using namespace kernel_cases;

namespace {

void compare_unpack(const encoding& e)
{
    for (const std::size_t streams : {1, 2, 3, 4, 31, 64}) {
        const std::size_t samples = 8 * (1 + random_below(90)), stride = samples + 3;
        const auto width = e.is_complex ? 2 : 1;
        // Whole floats for the float formats, at an odd address.
        const auto raw = random_components(e.bits >= 32 ? component::f32 : component::i8,
                                           1 + e.bytes(streams, samples));
        std::vector<std::uint8_t> shifted(raw.size() + 1);
        std::memcpy(shifted.data() + 1, raw.data(), raw.size());
        std::vector<std::size_t> rows(streams);
        for (std::size_t s = 0; s < streams; s++) {
            rows[s] = 2 * (streams - 1 - s); // every other row, backwards
        }
        for (const auto c : {component::i8, component::i16, component::f32}) {
            const auto at = static_cast<std::size_t>(c);
            BOOST_TEST((e.unpack[0][at] == nullptr) == (c < e.natural));
            BOOST_TEST((e.unpack[1][at] == nullptr) == (c < e.natural));
            if (c < e.natural) {
                continue;
            }
            const std::size_t sample = component_bytes(c) * width;
            bytes out[2];
            for (const std::size_t b : {0, 1}) {
                out[b].assign(2 * streams * stride * sample, poison);
                e.unpack[b][at](shifted.data() + 1,
                                streams,
                                samples,
                                rows.data(),
                                out[b].data(),
                                stride);
            }
            BOOST_TEST((out[0] == out[1]));
            for (std::size_t s = 0; s < streams; s++) {
                const auto row = out[1].data() + 2 * s * stride * sample;
                BOOST_TEST(
                    all_poison(row + samples * sample, (2 * stride - samples) * sample));
            }
        }
    }
}

void unpack(double)
{
    compare_unpack(interleaved_encoding<decoders::i8>());
    compare_unpack(interleaved_encoding<decoders::u8>());
    compare_unpack(interleaved_encoding<decoders::i16>());
    compare_unpack(interleaved_encoding<decoders::u16>());
    compare_unpack(interleaved_encoding<decoders::f32>());
    compare_unpack(interleaved_encoding<decoders::ci8>());
    compare_unpack(interleaved_encoding<decoders::cu8>());
    compare_unpack(interleaved_encoding<decoders::ci16>());
    compare_unpack(interleaved_encoding<decoders::cf32>());
    compare_unpack(interleaved_encoding<decoders::mwa16>());
    compare_unpack(interleaved_encoding<decoders::mwa8>());
    compare_unpack(stream_major_bits());
}

channelizer_params random_channelizer(std::size_t channels,
                                      bool complex_samples,
                                      component in,
                                      unsigned taps,
                                      unsigned bits)
{
    channelizer_params p;
    p.inputs = channels > 1000 ? 1 : pick({1, 2, 3, 31, 64});
    p.channels = channels;
    p.complex_samples = complex_samples;
    p.in = in;
    p.taps = taps;
    p.window = pick<const char*>({"rectangular", "hamming", "kaiser"});
    p.block_spectra = channels > 1000 ? 3 : 1 + 2 * random_below(channels < 128 ? 40 : 8);
    p.requantize_bits = bits;
    if (random_below(2)) {
        p.conjugate.resize(p.inputs);
        for (auto& c : p.conjugate) {
            c = static_cast<char>(random_below(2));
        }
    }
    if (random_below(2)) {
        std::uniform_real_distribution<float> turn(-3, 3);
        for (std::size_t n = 0; n < p.inputs * channels; n++) {
            p.corrections.push_back(std::polar(1.0f, turn(random_engine())));
        }
    }
    const double level = (bits == 8 ? 60.0 : 4.0) / rms_of(in); // some are clipped
    for (std::size_t i = 0; i < p.inputs; i++) {
        p.gains.push_back(static_cast<float>(level * (1 + 0.1 * i / p.inputs)));
    }
    return p;
}

//! Several calls; the fast output is compared with the unrounded reference.
void compare_channelizer(const channelizer_params& p, double tolerance)
{
    auto unrounded = p;
    unrounded.requantize_bits = 0;
    const auto reference = make_channelizer(backend::generic, unrounded);
    const auto fast = make_channelizer(backend::cpu, p);
    const auto rounding = make_channelizer(backend::generic, p);
    const std::size_t parts = p.complex_samples ? 2 : 1, values = 2 * p.block_spectra;
    const std::size_t size = p.channels * p.inputs * values;
    const double limit = p.requantize_bits == 8 ? 127 : 7;
    for (int call = 0; call < 4; call++) {
        const std::size_t rows =
            call == 0 ? p.block_spectra : random_below(p.block_spectra + 1);
        const std::size_t samples = rows * p.points(), stride = samples + 5;
        const auto in = random_components(p.in, p.inputs * stride * parts);
        bytes expected(size * 4, poison);
        bytes got(size * (p.requantize_bits ? 1 : 4), poison), got_rounding = got;
        std::vector<std::uint64_t> clipped(p.inputs), clipped_rounding(p.inputs);
        const auto n =
            reference->process(in.data(), stride, samples, expected.data(), nullptr);
        BOOST_TEST(n ==
                   fast->process(in.data(), stride, samples, got.data(), clipped.data()));
        BOOST_TEST(n == rounding->process(in.data(),
                                          stride,
                                          samples,
                                          got_rounding.data(),
                                          clipped_rounding.data()));
        double worst = 0;
        bool untouched = true;
        std::vector<std::uint64_t> least(p.inputs), most(p.inputs);
        for (std::size_t row = 0; row < p.channels * p.inputs; row++) {
            const std::size_t i = row % p.inputs;
            for (std::size_t v = 0; v < 2 * n; v++) {
                const double x = component_at(expected, component::f32, row * values + v);
                if (p.requantize_bits == 0) {
                    const double y = component_at(got, component::f32, row * values + v);
                    const double error = std::abs(y - x) / rms_of(p.in);
                    worst = error <= worst ? worst : error; // NaN is worst of all
                    continue;
                }
                const double level = x * static_cast<double>(p.gains[i]);
                const double right = std::max(-limit, std::min(limit, level));
                for (const auto* out : {&got, &got_rounding}) {
                    const double y = component_at(*out, component::i8, row * values + v);
                    worst = std::max(worst, std::abs(y - right) - 0.5);
                }
                least[i] += std::abs(level) > limit + 0.5 + tolerance;
                most[i] += std::abs(level) > limit + 0.5 - tolerance;
            }
            const std::size_t width = p.requantize_bits ? 1 : 4;
            const std::size_t at = (row * values + 2 * n) * width;
            const std::size_t rest = (values - 2 * n) * width;
            untouched = untouched && all_poison(got.data() + at, rest) &&
                        all_poison(got_rounding.data() + at, rest);
        }
        BOOST_TEST(worst <= tolerance);
        BOOST_TEST(untouched);
        for (std::size_t i = 0; i < p.inputs; i++) {
            BOOST_TEST((clipped[i] >= least[i] && clipped[i] <= most[i]));
            BOOST_TEST(
                (clipped_rounding[i] >= least[i] && clipped_rounding[i] <= most[i]));
        }
    }
}

void channelizers(unsigned bits, double tolerance)
{
    for (const std::size_t channels : {1, 5, 96, 128, 1000, 4099}) {
        for (const unsigned taps : {1, 4, 16, 32}) {
            for (const bool complex_samples : {false, true}) {
                const auto in = pick({component::i8, component::i16, component::f32});
                const auto p =
                    random_channelizer(channels, complex_samples, in, taps, bits);
                BOOST_TEST_CONTEXT("inputs " << p.inputs << " channels " << channels
                                             << " taps " << taps << " complex "
                                             << complex_samples << " "
                                             << component_name(in) << " block_spectra "
                                             << p.block_spectra)
                {
                    compare_channelizer(p, tolerance);
                }
            }
        }
    }
}

void channelizer_f32(double tolerance) { channelizers(0, tolerance); }
void channelizer_8(double tolerance) { channelizers(8, tolerance); }
void channelizer_4(double tolerance) { channelizers(4, tolerance); }

void compare_xengine(const xengine_params& p, double tolerance)
{
    const auto reference = make_xengine(backend::generic, p);
    const auto fast = make_xengine(backend::cpu, p);
    const std::size_t products = baselines(p.inputs);
    const std::size_t values = 2 * p.channels * products;
    for (int call = 0; call < 4; call++) {
        const std::size_t first = random_below(p.block_spectra);
        const std::size_t count = random_below(p.block_spectra - first + 1);
        const std::size_t rows = p.channels * p.inputs, row = 2 * p.block_spectra;
        auto in = random_components(p.in, rows * row);
        // What lies outside is not to be read.
        const std::size_t width = component_bytes(p.in);
        for (std::size_t r = 0; r < rows; r++) {
            const auto at = in.data() + r * row * width;
            std::memset(at, poison, 2 * first * width);
            std::memset(at + 2 * (first + count) * width,
                        poison,
                        (row - 2 * (first + count)) * width);
        }
        reference->accumulate(in.data(), first, count);
        fast->accumulate(in.data(), first, count);
        if (call == 2) {
            reference->clear();
            fast->clear();
        }
        const std::size_t from = call == 1 ? p.channels / 2 : 0;
        const std::size_t read = p.channels - from;
        bytes expected(4 * values + 64, poison), got = expected;
        reference->read(from, read, expected.data());
        fast->read(from, read, got.data());
        const std::size_t written = 8 * read * products;
        BOOST_TEST(all_poison(got.data() + written, got.size() - written));
        if (p.in == component::i8) {
            BOOST_TEST((got == expected));
            continue;
        }
        double worst = 0;
        for (std::size_t v = 0; v < 2 * read * products; v++) {
            const double x = component_at(expected, component::f32, v);
            const double error = std::abs(component_at(got, component::f32, v) - x);
            const double scaled = error / (2.0 * 4 * p.block_spectra);
            worst = scaled <= worst ? worst : scaled;
        }
        BOOST_TEST(worst <= tolerance);
    }
}

void xengines(component in, double tolerance)
{
    for (const std::size_t inputs : {1, 2, 3, 4, 7, 11, 12, 31, 64, 130}) {
        for (const std::size_t block_spectra : {1, 3, 129, 1500}) {
            xengine_params p;
            p.inputs = inputs;
            p.channels = inputs > 31 ? 2 : 5;
            p.block_spectra = inputs > 64 ? block_spectra / 4 + 1 : block_spectra;
            p.in = in;
            BOOST_TEST_CONTEXT("inputs " << inputs << " block_spectra "
                                         << p.block_spectra)
            {
                compare_xengine(p, tolerance);
            }
        }
    }
}

void xengine_f32(double tolerance) { xengines(component::f32, tolerance); }
void xengine_i8(double tolerance) { xengines(component::i8, tolerance); }

void compare_integrator(const integrator_params& p, double tolerance)
{
    const auto reference = make_integrator(backend::generic, p);
    const auto fast = make_integrator(backend::cpu, p);
    const std::size_t products = baselines(p.inputs);
    std::vector<std::uint64_t> valid(products);
    std::vector<float> gains(p.inputs);
    for (int call = 0; call < 5; call++) {
        const std::size_t first = random_below(p.channels);
        const std::size_t count = 1 + random_below(p.channels - first);
        auto in = random_components(p.integer ? component::i8 : component::f32,
                                    2 * count * products * (p.integer ? 4 : 1));
        reference->add(first, count, in.data());
        fast->add(first, count, in.data());
        if (call == 2) {
            reference->clear();
            fast->clear();
        }
        for (auto& n : valid) {
            n = random_below(4) ? 1 + random_below(1000) : 0;
        }
        for (auto& g : gains) {
            g = 0.5f + static_cast<float>(random_below(100)) / 50;
        }
        const auto use = call % 2 ? gains.data() : nullptr;
        const std::size_t size = count * products;
        std::vector<std::complex<float>> x(size + 1), y(size + 1);
        std::vector<float> v(size + 1), w(size + 1);
        std::memset(static_cast<void*>(y.data()), poison, y.size() * sizeof(y[0]));
        std::memset(w.data(), poison, w.size() * sizeof(w[0]));
        reference->mean(first, count, valid.data(), 1000, use, x.data(), v.data());
        fast->mean(first, count, valid.data(), 1000, use, y.data(), w.data());
        double worst = 0;
        for (std::size_t n = 0; n < size; n++) {
            const auto error = static_cast<double>(std::abs(y[n] - x[n]));
            const auto scaled = error / (1e-30 + static_cast<double>(std::abs(x[n])));
            worst = scaled <= worst ? worst : scaled;
            if (valid[n % products] == 0 && y[n] != 0.0f) {
                worst = 1;
            }
        }
        BOOST_TEST(worst <= tolerance);
        v[size] = w[size];
        BOOST_TEST(std::memcmp(v.data(), w.data(), v.size() * sizeof(v[0])) == 0);
        BOOST_TEST(std::isnan(y[size].real()));
        BOOST_TEST(std::isnan(w[size]));
        fast->mean(first, count, valid.data(), 1000, use, x.data(), nullptr);
        BOOST_TEST((std::equal(x.begin(), x.end() - 1, y.begin())));
    }
}

void integrators(bool integer, double tolerance)
{
    for (const std::size_t inputs : {1, 2, 3, 31, 64}) {
        for (const std::size_t channels : {1, 5, 96}) {
            compare_integrator({inputs, channels, integer}, tolerance);
        }
    }
}

void integrator_f32(double tolerance) { integrators(false, tolerance); }
void integrator_i32(double tolerance) { integrators(true, tolerance); }

struct row {
    const char* name;
    void (*compare)(double tolerance);
    double tolerance;
};

std::ostream& operator<<(std::ostream& out, const row& r) { return out << r.name; }

const row table[] = {
    {"unpack, all formats: equal bytes", unpack, 0},
    {"channelizer to float32: of the rms of the samples", channelizer_f32, 5e-6},
    {"channelizer to 8 bits: beyond half a step", channelizer_8, 5e-4},
    {"channelizer to 4 bits: beyond half a step", channelizer_4, 5e-5},
    {"xengine float32: of the sum of the powers", xengine_f32, 1e-6},
    {"xengine int8: equal", xengine_i8, 0},
    {"integrator of float32: relative", integrator_f32, 2e-7},
    {"integrator of int32: relative", integrator_i32, 2e-7},
};

} // namespace

BOOST_DATA_TEST_CASE(fast_equals_generic, boost::unit_test::data::make(table), kernel)
{
    kernel.compare(kernel.tolerance);
}
