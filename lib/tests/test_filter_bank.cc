/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A random stream is planned and made item by item, with corrections from an instant on, and
// compared with one call of the generic kernel for each set of corrections.

#include "kernels/channelizer/backends.h"
#include "stages/filter_bank.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937_64 random_bits(test_seed());

std::size_t between(std::size_t low, std::size_t high)
{
    return std::uniform_int_distribution<std::size_t>(low, high)(random_bits);
}

using spectra = std::vector<std::complex<float>>; // [spectrum][channel][input]

//! Adds the first spectra of a block [channel][input][block_spectra].
void append(spectra& to,
            const std::vector<std::complex<float>>& block,
            std::size_t count,
            const kernels::channelizer_params& p)
{
    for (std::size_t s = 0; s < count; ++s) {
        for (std::size_t cell = 0; cell < p.channels * p.inputs; ++cell) {
            to.push_back(block[cell * p.block_spectra + s]);
        }
    }
}

spectra in_one_call(kernels::channelizer_params p,
                    const std::vector<std::int8_t>& voltages,
                    std::size_t rows)
{
    spectra all;
    p.block_spectra = rows;
    std::vector<std::complex<float>> out(p.channels * p.inputs * rows);
    std::vector<std::uint64_t> clipped(p.inputs);
    const std::size_t made = kernels::make_channelizer(kernels::backend::generic, p)
                                 ->process(voltages.data(),
                                           rows * p.points(),
                                           rows * p.points(),
                                           out.data(),
                                           clipped.data());
    append(all, out, made, p);
    return all;
}

void check_stream(kernels::backend backend)
{
    kernels::channelizer_params p;
    p.inputs = between(1, 4);
    p.channels = between(1, 16);
    p.taps = static_cast<unsigned>(between(1, 4));
    p.window = "hamming";
    p.in = kernels::component::i8;
    p.block_spectra = between(1, 7);
    const std::size_t items = between(1, 6), rows = items * p.block_spectra;
    const std::size_t points = p.points();
    std::vector<std::int8_t> voltages(2 * p.inputs * rows * points); // [input][time]
    for (auto& v : voltages) {
        v = static_cast<std::int8_t>(between(0, 200)) - 100;
    }
    std::vector<std::complex<float>> corrections(p.inputs * p.channels);
    for (auto& c : corrections) {
        c = {static_cast<float>(between(1, 9)), static_cast<float>(between(1, 9))};
    }

    filter_bank_plan plan(p, nullptr);
    filter_bank bank(backend, p);
    const epoch start = epoch::from_iso("2026-06-12T00:00:00");
    plan.begin(array::beginning{start, 1e6});
    // A quarter of a sample before the middle of the window of this spectrum.
    const std::size_t from = between(0, rows);
    plan.correct(
        corrections,
        start.plus_half_samples(
            static_cast<std::int64_t>(8 * from * points + 4 * p.taps * points - 2), 4e6));
    const std::size_t lost_item = between(0, items - 1),
                      lost_input = between(0, p.inputs - 1);

    spectra got;
    std::vector<char> lost; // [spectrum]
    std::vector<std::uint64_t> clipped(p.inputs);
    std::vector<std::int8_t> item(2 * p.inputs * p.block_spectra * points);
    std::vector<std::complex<float>> out(p.channels * p.inputs * p.block_spectra);
    for (std::size_t k = 0; k < items; ++k) {
        const std::size_t length = 2 * p.block_spectra * points;
        for (std::size_t i = 0; i < p.inputs; ++i) {
            std::copy_n(
                &voltages[i * 2 * rows * points + k * length], length, &item[i * length]);
        }
        std::vector<invalid_run> invalid;
        if (k == lost_item) {
            invalid.push_back({lost_input, between(0, points - 1), 1});
        }
        auto order = plan.plan(p.block_spectra, invalid);
        const std::size_t made = order.spectra;
        lost.resize(lost.size() + made);
        for (const invalid_run& r : order.lost) {
            BOOST_REQUIRE_EQUAL(r.input, lost_input);
            std::fill_n(
                lost.end() - static_cast<std::ptrdiff_t>(made - r.first), r.count, 1);
        }
        bank.make_spectra(std::move(order), 0, item.data(), out.data(), clipped.data());
        append(got, out, made, p);
    }

    const spectra before = in_one_call(p, voltages, rows);
    p.corrections = corrections;
    const spectra after = in_one_call(p, voltages, rows);
    BOOST_REQUIRE_EQUAL(got.size(), before.size());
    const std::size_t cells = p.channels * p.inputs;
    for (std::size_t n = 0; n < got.size(); ++n) {
        const std::size_t s = n / cells;
        const bool zero = lost[s] && n % p.inputs == lost_input;
        const auto wanted = zero       ? std::complex<float>(0)
                            : s < from ? before[n]
                                       : after[n];
        // Samples of up to 100 in windows of up to 64, and factors of up to 13.
        BOOST_REQUIRE_SMALL(std::abs(got[n] - wanted), 0.05f);
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(generic_spectra_of_a_planned_stream)
{
    for (int round = 0; round < 200; ++round) {
        check_stream(kernels::backend::generic);
    }
}

BOOST_AUTO_TEST_CASE(cpu_spectra_of_a_planned_stream)
{
    for (int round = 0; round < 20; ++round) { // each measures a plan of its transform
        check_stream(kernels::backend::cpu);
    }
}
