/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Sums come in items, some of which are lost when the flowgraph is changed. Every channel of
// every sum has to be added once, or left out once.

#include "stages/spectrum_parts.h"
#include "stages/sum_in_parts.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;
using kernels::flagged_spectra;

namespace {

std::mt19937_64 random_bits(test_seed());

std::size_t between(std::size_t low, std::size_t high)
{
    return std::uniform_int_distribution<std::size_t>(low, high)(random_bits);
}

//! Cells of a sum by number that are left out, each with its number of spectra.
std::vector<std::uint64_t> left_out(const std::vector<flagged_spectra>& windows,
                                    std::size_t cells)
{
    std::vector<std::uint64_t> all(cells);
    for (const flagged_spectra& w : windows) {
        for (const kernels::cell_run& r : w.cells) {
            for (std::size_t c = r.first; c < r.first + r.count; ++c) {
                all.at(c) += w.spectra;
            }
        }
    }
    return all;
}

std::vector<flagged_spectra> random_windows(std::size_t cells)
{
    std::vector<flagged_spectra> windows(between(0, 3));
    for (flagged_spectra& w : windows) {
        w.spectra = between(1, 9);
        for (std::size_t at = between(0, cells); at < cells;) {
            const std::size_t count = between(1, cells - at);
            w.cells.push_back(
                {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(count)});
            at += count + between(1, 4);
        }
    }
    return windows;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_channel_is_added_or_left_out)
{
    for (int round = 0; round < 3000; ++round) {
        const std::size_t inputs = between(1, 4), in_item = between(1, 5);
        const std::size_t channels = in_item * between(1, 6), cells = inputs * channels;
        sum_in_parts sum(inputs, channels);
        BOOST_REQUIRE(!sum.under_way() && !sum.interrupted());
        for (std::size_t n = between(1, 5); n > 0; --n) {
            const std::uint64_t spectra = between(1, 100);
            const auto windows = random_windows(cells);
            std::vector<std::uint64_t> valid(
                between(0, 1) ? kernels::baselines(inputs) : 0, between(0, spectra));
            sum.begin(spectra, valid, windows);
            BOOST_REQUIRE(sum.untouched());
            std::vector<int> added(channels);
            bool whole = false;
            while (!whole) {
                for (std::size_t items = between(0, channels / in_item);
                     items > 0 && sum.under_way();
                     --items) {
                    for (std::size_t c = 0; sum.wanted() && c < in_item; ++c) {
                        ++added.at(sum.channel() + c);
                    }
                    sum.take(in_item);
                }
                whole = !sum.under_way();
                if (whole) {
                    break;
                }
                sum.interrupt();
                const auto came =
                    static_cast<std::size_t>(std::count(added.begin(), added.end(), 1));
                BOOST_REQUIRE_EQUAL(sum.interrupted(), came > 0);
                if (!sum.interrupted()) {
                    sum.begin(spectra, valid, windows);
                } else if (between(0, 2)) {
                    sum.repeat();
                } else { // another sum comes
                    BOOST_REQUIRE_EQUAL(sum.missing(), channels - came);
                    auto wanted = left_out(windows, cells);
                    std::fill(wanted.begin() + came * inputs,
                              wanted.end(),
                              spectra * spectrum_parts);
                    const auto got = sum.end_without_rest();
                    BOOST_REQUIRE(left_out(got, cells) == wanted);
                    BOOST_REQUIRE(got.back().valid == valid);
                    BOOST_REQUIRE(!sum.interrupted());
                    break;
                }
            }
            for (std::size_t c = 0; c < channels; ++c) {
                BOOST_REQUIRE_LE(added[c], 1);
                BOOST_REQUIRE(!whole || added[c] == 1);
            }
            BOOST_REQUIRE(!whole ||
                          left_out(sum.flagged(), cells) == left_out(windows, cells));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_sum_without_spectra_is_never_added)
{
    sum_in_parts sum(2, 8);
    sum.begin(0, {}, {});
    BOOST_CHECK(sum.under_way() && !sum.wanted());
    sum.take(8);
    BOOST_CHECK(!sum.under_way() && !sum.interrupted());
}
