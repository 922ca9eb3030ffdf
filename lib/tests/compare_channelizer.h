/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_CHANNELIZER_H
#define INCLUDED_FRINGE_TESTS_COMPARE_CHANNELIZER_H

#include "channelizer_calls.h"
#include "fast_kernels.h"
#include "kernels/channelizer/channelizer.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/fringe/threads.h>

// Random channelizers, generic against fast ones, over several calls.
namespace kernel_cases {

using namespace gr::fringe::kernels;

inline channelizer_params random_channelizer(std::size_t channels,
                                             bool complex_samples,
                                             component in,
                                             unsigned taps,
                                             unsigned bits)
{
    channelizer_params p;
    p.inputs = channels > 1000 ? pick({1, 2}) : pick({1, 2, 3, 31, 64});
    p.channels = channels;
    p.complex_samples = complex_samples;
    p.in = in;
    p.taps = taps;
    p.window = pick<const char*>({"rectangular", "hamming", "kaiser"});
    // Of 4096 channels more spectra than a GPU's block of threads has.
    p.block_spectra = channels == 4096 && taps == 16 ? 35
                      : channels > 1000              ? 3
                                        : 1 + 2 * random_below(channels < 128 ? 40 : 8);
    p.requantize_bits = bits;
    if (random_below(2)) {
        p.conjugate.resize(p.inputs);
        for (auto& c : p.conjugate) {
            c = static_cast<char>(random_below(2));
        }
    }
    if (random_below(2)) {
        p.corrections = random_corrections(p);
    }
    if (random_below(2)) {
        p.max_shift_samples = 1 + random_below(3 * p.points());
    }
    const double level = (bits == 8 ? 60.0 : 4.0) / rms_of(in); // some are clipped
    for (std::size_t i = 0; i < p.inputs; i++) {
        p.gains.push_back(static_cast<float>(level * (1 + 0.1 * i / p.inputs)));
    }
    return p;
}

//! Delays that drift through the whole range, [input][spectra], some of them all of it.
inline std::vector<double>
random_delays(const channelizer_params& p, std::size_t spectra, double rate)
{
    std::vector<double> delays;
    const double longest = static_cast<double>(p.max_shift_samples) / rate;
    std::uniform_real_distribution<double> part(-1, 1), drift(-0.4, 0.4);
    for (std::size_t i = 0; i < p.inputs; i++) {
        const double start = part(random_engine()) * longest;
        // Slow ones, too, as most are.
        const double step = drift(random_engine()) / rate * pick({1.0, 1e-6});
        for (std::size_t s = 0; s < spectra; s++) {
            delays.push_back(std::clamp(start + s * step, -longest, longest));
        }
    }
    return delays;
}

//! Blanks some spectra of a whole block.
inline void compare_blank(const channelizer_params& p, const channelizer& fast, bytes got)
{
    const std::size_t input = random_below(p.inputs),
                      first = random_below(p.block_spectra);
    const std::size_t count = random_below(p.block_spectra - first + 1);
    const std::size_t width = p.requantize_bits ? 2 : 8;
    auto expected = got;
    for (std::size_t c = 0; c < p.channels; c++) {
        const std::size_t row = (c * p.inputs + input) * p.block_spectra + first;
        std::memset(&expected[row * width], 0, count * width);
    }
    fast.blank(got.data(), input, first, count);
    BOOST_TEST((got == expected));
}

//! Several calls; the fast output is compared with the unrounded reference.
inline void compare_channelizer(const channelizer_params& p, double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    auto unrounded = p;
    unrounded.requantize_bits = 0;
    const auto reference = make_channelizer(backend::generic, unrounded);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_channelizer(p);
    const auto rounding = make_channelizer(backend::generic, p);
    const std::size_t parts = p.complex_samples ? 2 : 1, values = 2 * p.block_spectra;
    const std::size_t size = p.channels * p.inputs * values;
    const double limit = p.requantize_bits == 8 ? 127 : 7;
    // Calls that fill the filter, and four, or of large ones three.
    const int full = static_cast<int>(kept_rows(p) / p.block_spectra);
    const int end = p.channels > 1000 ? 3 : 4;
    std::size_t kept = max_shift_rows(p);
    for (int call = -full; call < end; call++) {
        const std::size_t rows =
            call <= 0 ? p.block_spectra : random_below(p.block_spectra + 1);
        const std::size_t samples = rows * p.points(), stride = samples + pick({4, 5});
        const auto in = random_components(p.in, p.inputs * stride * parts);
        const auto delays = random_delays(p, rows, 1e6);
        const steering towards{delays.data(), rows, 1e6, 123456789.0, call != 1};
        channelizer_call given{p, in, stride, rows, towards, {}};
        if (call > 0) {
            given.change = random_change(p, kept, rows);
        }
        kept = std::min(kept + rows, kept_rows(p));
        bytes expected(size * 4, poison);
        bytes got(size * (p.requantize_bits ? 1 : 4), poison), got_rounding = got;
        std::vector<std::uint64_t> clipped(p.inputs), clipped_rounding(p.inputs);
        const bool host = tested().which.kind != backend::cuda;
        const unsigned bits = p.requantize_bits;
        const auto n = given.give(*reference, 0, true, expected.data(), nullptr);
        BOOST_TEST(n == given.give(*fast, bits, host, got.data(), clipped.data()));
        BOOST_TEST(
            n ==
            given.give(
                *rounding, bits, true, got_rounding.data(), clipped_rounding.data()));
        double worst = 0;
        bool untouched = true;
        std::vector<std::uint64_t> least(p.inputs), maximum(p.inputs);
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
                maximum[i] += std::abs(level) > limit + 0.5 - tolerance;
            }
            const std::size_t width = p.requantize_bits ? 1 : 4;
            const std::size_t at = (row * values + 2 * n) * width;
            const std::size_t rest = (values - 2 * n) * width;
            untouched = untouched && all_poison(got.data() + at, rest) &&
                        all_poison(got_rounding.data() + at, rest);
        }
        BOOST_TEST(worst <= tolerance);
        BOOST_TEST(untouched);
        if (n == p.block_spectra) {
            compare_blank(p, *fast, got);
        }
        for (std::size_t i = 0; i < p.inputs; i++) {
            BOOST_TEST((clipped[i] >= least[i] && clipped[i] <= maximum[i]));
            BOOST_TEST(
                (clipped_rounding[i] >= least[i] && clipped_rounding[i] <= maximum[i]));
        }
    }
}

inline void channelizers(std::initializer_list<std::size_t> sizes,
                         std::initializer_list<unsigned> lengths,
                         bool tracked,
                         unsigned bits,
                         double tolerance,
                         std::initializer_list<component> types = {
                             component::i8, component::i16, component::f32})
{
    std::size_t row = 0;
    for (const std::size_t channels : sizes) {
        ++row;
        std::size_t column = 0;
        for (const unsigned taps : lengths) {
            ++column;
            if (is_left_out(row, column)) {
                continue;
            }
            for (const bool complex_samples : {false, true}) {
                const auto in = pick(types);
                auto p = random_channelizer(channels, complex_samples, in, taps, bits);
                if (tracked && p.max_shift_samples == 0) {
                    p.max_shift_samples = 1 + random_below(2 * p.points());
                }
                BOOST_TEST_CONTEXT("inputs " << p.inputs << " channels " << channels
                                             << " taps " << taps << " complex "
                                             << complex_samples << " "
                                             << component_name(in) << " block_spectra "
                                             << p.block_spectra << " max_shift_samples "
                                             << p.max_shift_samples)
                {
                    compare_channelizer(p, tolerance);
                }
            }
        }
    }
}

template <unsigned bits>
void any_channelizers(double tolerance)
{
    channelizers({1, 5, 96, 128, 1000, 4099}, {1, 4, 16, 32}, false, bits, tolerance);
    channelizers({4096, 32768}, {4}, false, bits, tolerance);
}

template <unsigned bits>
void tracking_channelizers(double tolerance)
{
    channelizers({5, 48, 64, 256, 512, 1024, 2048, 4096, 16384},
                 {3, 4, 8, 16},
                 true,
                 bits,
                 tolerance);
    channelizers({8192, 32768}, {4}, true, bits, tolerance);
}

//! Of levels, on devices.
template <unsigned bits>
void channelizers_of_levels(double tolerance)
{
    if (tested().which.kind != backend::cuda) {
        channelizer_params p;
        p.in = component::level;
        BOOST_CHECK_THROW(make_fast_channelizer(p), std::invalid_argument);
        return;
    }
    const auto types = {component::level};
    channelizers({5, 128, 1000, 2048}, {1, 4, 8, 16}, false, bits, tolerance, types);
    channelizers({48, 256, 2048, 4096}, {3, 4, 8, 16}, true, bits, tolerance, types);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_CHANNELIZER_H */
