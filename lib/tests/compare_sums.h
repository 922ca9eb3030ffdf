/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_SUMS_H
#define INCLUDED_FRINGE_TESTS_COMPARE_SUMS_H

#include "fast_kernels.h"
#include "kernels/integrator/integrator.h"
#include "kernels/xengine/xengine.h"
#include <cmath>
#include <gnuradio/fringe/threads.h>

// X-engines and integrators, generic against fast ones, over several calls.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! Small integers as floats, whose sums are exact in any order.
inline bytes small_integers(std::size_t count)
{
    bytes out(count * sizeof(float));
    for (std::size_t n = 0; n < count; n++) {
        const auto value = static_cast<float>(random_below(31)) - 15;
        std::memcpy(&out[n * sizeof(value)], &value, sizeof(value));
    }
    return out;
}

inline void
compare_xengine(const xengine_params& p, double tolerance, bool integers = false)
{
    if (is_of_another_part()) {
        return;
    }
    const auto reference = make_xengine(backend::generic, p);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_xengine(p);
    const std::size_t products = baselines(p.inputs);
    const std::size_t values = 2 * p.channels * products;
    const std::size_t rows = p.channels * p.inputs, row = 2 * p.block_spectra;
    const auto random_block = [&] {
        return integers ? small_integers(rows * row)
                        : random_components(p.in, rows * row);
    };
    for (int call = 0; call < 4; call++) {
        const std::size_t first = random_below(p.block_spectra);
        const std::size_t count = random_below(p.block_spectra - first + 1);
        auto in = random_block();
        // What lies outside is not to be read.
        const std::size_t width = component_bytes(p.in);
        for (std::size_t r = 0; r < rows; r++) {
            const auto at = in.data() + r * row * width;
            std::memset(at, poison, 2 * first * width);
            std::memset(at + 2 * (first + count) * width,
                        poison,
                        (row - 2 * (first + count)) * width);
        }
        std::size_t added = 1; // blocks, or parts of one
        if (call == 3) {       // whole blocks together
            std::vector<bytes> blocks(1 + random_below(4));
            added = blocks.size();
            std::vector<const void*> all;
            for (bytes& block : blocks) {
                block = random_block();
                all.push_back(block.data());
            }
            reference->accumulate_blocks(all, p.block_spectra);
            fast->accumulate_blocks(all, p.block_spectra);
        } else {
            reference->accumulate(in.data(), first, count);
            fast->accumulate(in.data(), first, count);
        }
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
            const double scaled = error / (2.0 * 4 * p.block_spectra * added);
            worst = scaled <= worst ? worst : scaled;
        }
        BOOST_TEST(worst <= tolerance);
    }
}

inline void xengines(component in, double tolerance)
{
    std::size_t row = 0;
    for (const std::size_t inputs :
         {1, 2, 3, 4, 7, 11, 12, 16, 17, 31, 40, 41, 64, 97, 130}) {
        ++row;
        std::size_t column = 0;
        for (const std::size_t block_spectra : {1, 3, 129, 1500}) {
            ++column;
            if (is_left_out(row, column)) {
                continue;
            }
            xengine_params p;
            p.inputs = inputs;
            p.channels = inputs > 31 ? 2 : pick({5, 8, 21});
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

inline void xengine_f32(double tolerance) { xengines(component::f32, tolerance); }
inline void xengine_f32_integers(double tolerance)
{
    for (const std::size_t inputs : {5, 16, 23, 31, 39, 47, 55, 113}) {
        for (const std::size_t block_spectra : {130, 1501}) {
            const xengine_params p{inputs, 3, block_spectra};
            BOOST_TEST_CONTEXT("inputs " << inputs << " block_spectra " << block_spectra)
            {
                compare_xengine(p, tolerance, true);
            }
        }
    }
}
inline void xengine_i8(double tolerance) { xengines(component::i8, tolerance); }

//! Some cells of some windows, lost spectra in some of them.
inline std::vector<flagged_spectra> random_flagged(const integrator_params& p)
{
    const std::size_t cells = p.inputs * p.channels;
    std::vector<flagged_spectra> flagged(random_below(p.channels == 1 ? 3000 : 100));
    for (auto& f : flagged) {
        // All of it, a run across channels, or a few single cells.
        const std::size_t longest = pick({cells, 3 * p.inputs, std::size_t(1)});
        std::size_t k = random_below(cells);
        while (k < cells) {
            const std::size_t count =
                std::min(1 + random_below(longest), cells - k + random_below(2));
            f.cells.push_back(
                {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(count)});
            k += count + 1 + random_below(cells);
        }
        f.spectra = random_below(50) ? random_below(30) : std::uint64_t(3) << 32;
        if (random_below(3) == 0) {
            f.valid.resize(baselines(p.inputs));
            for (auto& n : f.valid) {
                n = random_below(30);
            }
        }
    }
    return flagged;
}

inline void compare_integrator(const integrator_params& p, double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    const auto reference = make_integrator(backend::generic, p);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_integrator(p);
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
        if (call != 1) { // once there is nothing to leave out
            const auto flagged = random_flagged(p);
            reference->leave_out(flagged);
            fast->leave_out(flagged);
        }
        if (call == 0 || call == 2) {
            reference->clear();
            fast->clear();
        }
        for (auto& n : valid) {
            n = random_below(4) ? 1 + random_below(2000) : random_below(2) << 34;
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
        for (std::size_t c = 0; c < count; c++) {
            for (std::size_t i = 0; i < p.inputs; i++) {
                const std::size_t n = c * products + baseline_index(i, i, p.inputs);
                BOOST_REQUIRE(x[n].imag() == 0); // the sums added here are complex
                BOOST_REQUIRE(y[n].imag() == 0);
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

inline void integrators(bool integer, double tolerance)
{
    for (const std::size_t inputs : {1, 2, 3, 31, 64, 130}) {
        for (const std::size_t channels : {1, 5, 96}) {
            compare_integrator({inputs, channels, integer}, tolerance);
        }
    }
}

inline void integrator_f32(double tolerance) { integrators(false, tolerance); }
inline void integrator_i32(double tolerance) { integrators(true, tolerance); }

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_SUMS_H */
