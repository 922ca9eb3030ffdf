/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Every value of every block gets to its place when slabs are copied, in each layout, and
// nothing else is written.
#include "kernels/xengine/tiles.h"
#include "stages/corner_slabs.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

using namespace gr::fringe;
using kernels::spectra_layout;
using kernels::tile_layout;

namespace {

std::mt19937& engine()
{
    static std::mt19937 e = [] { return std::mt19937(test_seed()); }();
    return e;
}

std::size_t from_to(std::size_t first, std::size_t last)
{
    return std::uniform_int_distribution<std::size_t>(first, last)(engine());
}

// What stands at one place of one plane: bytes that differ for neighbors in every axis.
std::uint8_t
value(std::size_t plane, std::size_t input, std::size_t channel, std::size_t spectrum)
{
    return static_cast<std::uint8_t>(
        1 + (plane * 101 + input * 37 + channel * 11 + spectrum * 3) % 251);
}

using block = std::vector<std::uint8_t>;

// A block of inputs first ... first + inputs - 1 and some channels, written value by value.
block written(std::size_t first,
              std::size_t inputs,
              std::size_t first_channel,
              std::size_t channels,
              std::size_t spectra,
              spectra_layout layout)
{
    if (layout == spectra_layout::channel_major) {
        block b;
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t i = 0; i < inputs; ++i) {
                for (std::size_t t = 0; t < spectra; ++t) {
                    for (std::size_t part = 0; part < 2; ++part) {
                        b.push_back(value(part, first + i, first_channel + c, t));
                    }
                }
            }
        }
        return b;
    }
    const tile_layout tiles{inputs, channels, spectra};
    block b(tiles.bytes());
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t i = 0; i < inputs; ++i) {
            for (std::size_t t = 0; t < spectra; ++t) {
                for (std::size_t plane = 0; plane < tiles.planes(); ++plane) {
                    b[tiles.at(c, plane, i, t)] =
                        value(plane, first + i, first_channel + c, t);
                }
                if (tiles.planes() == 3) { // one flag for 8 inputs and 128 spectra
                    b[tiles.flag_at(c, i, t)] =
                        value(3, (first + i) / 8, first_channel + c, t / 128);
                }
            }
        }
    }
    return b;
}

void check(const corner_params& p, spectra_layout layout)
{
    std::vector<block> made;
    for (std::size_t g = 0; g < p.inputs.size(); ++g) {
        made.push_back(written(
            p.first_input(g), p.inputs[g], 0, p.all_channels(), p.block_spectra, layout));
    }
    for (std::size_t d = 0; d < p.channels.size(); ++d) {
        block got(p.bytes(d, layout));
        for (std::size_t g = 0; g < p.inputs.size(); ++g) {
            for (const corner_slab& s : corner_slabs(p, g, d, layout)) {
                for (std::size_t row = 0; row < s.rows; ++row) {
                    BOOST_REQUIRE_LE(s.from + row * s.from_pitch + s.width,
                                     made[g].size());
                    BOOST_REQUIRE_LE(s.to + row * s.to_pitch + s.width, got.size());
                    std::memcpy(got.data() + s.to + row * s.to_pitch,
                                made[g].data() + s.from + row * s.from_pitch,
                                s.width);
                }
            }
        }
        const block expected = written(0,
                                       p.all_inputs(),
                                       p.first_channel(d),
                                       p.channels[d],
                                       p.block_spectra,
                                       layout);
        BOOST_TEST(got.size() == expected.size());
        BOOST_TEST(std::equal(got.begin(), got.end(), expected.begin()));
    }
}

std::vector<std::size_t>
random_parts(std::size_t count, std::size_t largest, std::size_t unit)
{
    std::vector<std::size_t> parts;
    for (std::size_t k = 0; k < count; ++k) {
        parts.push_back(unit * from_to(1, largest));
    }
    return parts;
}

} // namespace

BOOST_AUTO_TEST_CASE(channel_major_of_random_sizes)
{
    for (int n = 0; n < 30; ++n) {
        const std::size_t count = from_to(1, 4);
        corner_params p{
            random_parts(count, 9, 1), random_parts(count, 9, 1), from_to(1, 40)};
        check(p, spectra_layout::channel_major);
    }
}

BOOST_AUTO_TEST_CASE(tiles_of_random_sizes)
{
    for (int n = 0; n < 10; ++n) {
        const std::size_t count = from_to(1, 3);
        corner_params p{
            random_parts(count, 3, 8), random_parts(count, 4, 1), from_to(1, 300)};
        p.inputs.back() += from_to(0, 7);
        BOOST_TEST(p.tiles_fit());
        check(p, spectra_layout::tensor_tiles);
    }
}

BOOST_AUTO_TEST_CASE(tiles_with_a_third_plane)
{
    corner_params p{{520, 517}, {2, 1}, 130};
    BOOST_TEST(p.tiles_fit());
    check(p, spectra_layout::tensor_tiles);
}

BOOST_AUTO_TEST_CASE(blocks_that_cannot_be_cut_in_tiles)
{
    const auto fit = [](std::vector<std::size_t> inputs, kernels::component component) {
        corner_params p{std::move(inputs), {1, 1}, 16};
        p.component = component;
        return p.tiles_fit();
    };
    BOOST_TEST(fit({16, 3}, kernels::component::i8));
    BOOST_TEST(!fit({12, 8}, kernels::component::i8));    // half a group of 8
    BOOST_TEST(!fit({264, 264}, kernels::component::i8)); // parts lack the third plane
    BOOST_TEST(!fit({16, 16}, kernels::component::f32));
}
