/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_KURTOSIS_H
#define INCLUDED_FRINGE_TESTS_COMPARE_KURTOSIS_H

#include "fast_kernels.h"
#include "kernels/kurtosis/kurtosis.h"
#include <cmath>

// Sums of power and squared power, generic against fast, over several calls; zeros.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! Runs of cells that do not touch, none to all of them.
inline std::vector<cell_run> random_cells(std::size_t cells)
{
    std::vector<cell_run> runs;
    const std::size_t longest = pick<std::size_t>({1, 9, 40, cells});
    for (std::size_t at = random_below(3); at < cells; at += 1 + random_below(40)) {
        const std::size_t count = std::min(1 + random_below(longest), cells - at);
        runs.push_back(
            {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(count)});
        at += count;
    }
    return runs;
}

//! Samples of a block.
inline std::size_t block_samples(const kurtosis_params& p)
{
    return p.inputs * p.block_spectra *
           (p.layout == spectra_layout::time_major ? spectra_row(p.channels)
                                                   : p.channels);
}

//! The sample of spectrum t of a cell, channel * inputs + input, in a block.
inline std::size_t sample_at(const kurtosis_params& p, std::size_t cell, std::size_t t)
{
    return p.layout == spectra_layout::time_major
               ? (cell % p.inputs * p.block_spectra + t) * spectra_row(p.channels) +
                     cell / p.inputs
               : cell * p.block_spectra + t;
}

//! Values [cell][count] as the first spectra of a block; all else is not to be read.
inline bytes block_of(const kurtosis_params& p, const bytes& values, std::size_t count)
{
    const std::size_t sample = 2 * component_bytes(p.in);
    bytes block(block_samples(p) * sample, poison);
    for (std::size_t cell = 0; cell < p.inputs * p.channels; cell++) {
        for (std::size_t t = 0; t < count; t++) {
            std::memcpy(&block[sample_at(p, cell, t) * sample],
                        &values[(cell * count + t) * sample],
                        sample);
        }
    }
    return block;
}

//! Zeroes cells of some blocks.
inline void compare_zeros(const kurtosis_params& p, kurtosis& fast)
{
    const std::size_t cells = p.channels * p.inputs;
    const std::size_t sample = 2 * component_bytes(p.in);
    const auto runs = random_cells(cells);
    std::vector<bytes> blocks(pick<std::size_t>({0, 1, 2, 33}) >>
                              (block_samples(p) * sample > 100000));
    std::vector<void*> places;
    for (auto& block : blocks) {
        block = random_components(p.in, 2 * block_samples(p));
        places.push_back(block.data());
    }
    auto expected = blocks;
    for (auto& block : expected) {
        for (const cell_run& r : runs) {
            for (std::size_t cell = r.first; cell < r.first + r.count; cell++) {
                for (std::size_t t = 0; t < p.block_spectra; t++) {
                    std::memset(&block[sample_at(p, cell, t) * sample], 0, sample);
                }
            }
        }
    }
    fast.zero(places, runs);
    BOOST_TEST((blocks == expected));
}

inline void compare_kurtosis(const kurtosis_params& p, double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    const auto reference = make_kurtosis(backend::generic, p);
    const auto fast = make_fast_kurtosis(p);
    const std::size_t rows = p.channels * p.inputs;
    for (int call = 0; call < 5; call++) {
        const std::size_t count = random_below(p.block_spectra + 1);
        const bytes values = random_components(p.in, rows * count * 2);
        const bytes in = block_of(p, values, count); // the rest is to be copied, not read
        bytes copy(in.size() + 64, poison);
        reference->add(in.data(), count, nullptr);
        fast->add(in.data(), count, call == 1 ? nullptr : copy.data());
        if (call != 1) {
            BOOST_TEST(std::memcmp(copy.data(), in.data(), in.size()) == 0);
        }
        BOOST_TEST(all_poison(copy.data() + (call == 1 ? 0 : in.size()), 64));
        if (call == 2) {
            reference->clear();
            fast->clear();
        }
        std::vector<float> x1(rows), x2(rows), y1(rows + 1), y2(rows + 1);
        std::memset(y1.data(), poison, y1.size() * sizeof(float));
        std::memset(y2.data(), poison, y2.size() * sizeof(float));
        reference->read(x1.data(), x2.data());
        fast->read(y1.data(), y2.data());
        double worst = 0;
        for (std::size_t r = 0; r < rows; r++) {
            for (const auto& [x, y] :
                 {std::pair(x1[r], y1[r]), std::pair(x2[r], y2[r])}) {
                const double error = std::abs(static_cast<double>(y - x));
                const double scaled = error / (1e-30 + static_cast<double>(x));
                worst = scaled <= worst ? worst : scaled;
            }
        }
        BOOST_TEST(worst <= tolerance);
        BOOST_TEST(std::isnan(y1[rows]));
        BOOST_TEST(std::isnan(y2[rows]));
        compare_zeros(p, *fast);
    }
}

//! The layouts of a CPU give the same bits, so flags do not depend on the layout.
inline void compare_layouts(kurtosis_params p)
{
    std::vector<float> sums[2];
    bytes values[2];
    std::size_t counts[2];
    for (int call = 0; call < 2; call++) {
        counts[call] = random_below(p.block_spectra + 1);
        values[call] = random_components(p.in, p.inputs * p.channels * counts[call] * 2);
    }
    for (const auto layout :
         {spectra_layout::channel_major, spectra_layout::time_major}) {
        p.layout = layout;
        const auto k = make_kurtosis(backend::cpu, p);
        for (int call = 0; call < 2; call++) {
            k->add(block_of(p, values[call], counts[call]).data(), counts[call], nullptr);
        }
        auto& out = sums[layout == spectra_layout::time_major];
        out.resize(2 * p.inputs * p.channels);
        k->read(out.data(), out.data() + p.inputs * p.channels);
    }
    BOOST_TEST(sums[0] == sums[1], boost::test_tools::per_element());
}

inline void kurtoses(component in, double tolerance)
{
    for (const std::size_t inputs : {1, 3, 8, 31}) {
        for (const std::size_t block_spectra : {1, 3, 4, 8, 129, 1500}) {
            kurtosis_params p{inputs, pick<std::size_t>({1, 5, 16}), block_spectra, in};
            compare_kurtosis(p, tolerance);
            if (tested().which.kind == backend::cpu) {
                compare_layouts(p);
                p.layout = spectra_layout::time_major;
                compare_kurtosis(p, tolerance);
            }
        }
    }
    // Tiles with a plane of sums; rows that a device cuts.
    compare_kurtosis({520, 2, pick<std::size_t>({3, 128, 260}), in}, tolerance);
    if (tested().which.kind == backend::cuda) {
        compare_kurtosis({1, 1, 140000, in}, tolerance);
    }
}

inline void kurtosis_f32(double tolerance) { kurtoses(component::f32, tolerance); }
inline void kurtosis_i8(double tolerance) { kurtoses(component::i8, tolerance); }

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_KURTOSIS_H */
