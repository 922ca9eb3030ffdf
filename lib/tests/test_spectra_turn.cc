/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/spectra_turn.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

using namespace gr::fringe::io;

namespace {

using bytes = std::vector<std::uint8_t>;
using components = std::vector<std::int8_t>; // [row][time][real, imaginary]

constexpr std::uint8_t untouched = 0xa5;

// Rows of `step` values of which `times` are used, of random components of that many bits.
struct panel {
    std::size_t rows, times, step;
    components values;

    panel(std::mt19937& random, int bits)
        : rows(random() % 3 == 0 // as in packets of SPEAD
                   ? 2
                   : std::uniform_int_distribution<std::size_t>(1, 75)(random)),
          times(std::uniform_int_distribution<std::size_t>(1, 75)(random)),
          step(times + random() % 9),
          values(2 * rows * step)
    {
        const int top = 1 << (bits - 1);
        std::uniform_int_distribution<int> component(-top, top - 1);
        for (std::int8_t& value : values) {
            value = static_cast<std::int8_t>(component(random));
        }
    }
    const std::int8_t* at(std::size_t row, std::size_t time) const
    {
        return values.data() + 2 * (row * step + time);
    }
    const int8_pair* pairs() const
    {
        return reinterpret_cast<const int8_pair*>(values.data());
    }
};

std::uint8_t nibble(int component, const nibble_code& code)
{
    return static_cast<std::uint8_t>((code.offset_binary ? component + 8 : component) &
                                     15);
}

// A value as it is in a packet: two bytes, or one.
bytes on_the_wire(const std::int8_t* value, bool nibbles, const nibble_code& code)
{
    if (!nibbles) {
        return {static_cast<std::uint8_t>(value[0]), static_cast<std::uint8_t>(value[1])};
    }
    const std::uint8_t re = nibble(value[0], code), im = nibble(value[1], code);
    return {static_cast<std::uint8_t>(code.high_real ? re << 4 | im : im << 4 | re)};
}

void check_bytes(const bytes& is, const bytes& right)
{
    BOOST_CHECK_EQUAL_COLLECTIONS(is.begin(), is.end(), right.begin(), right.end());
}

} // namespace

BOOST_AUTO_TEST_CASE(items_become_packets)
{
    std::mt19937 random(test_seed());
    for (int trial = 0; trial < 200; ++trial) {
        const bool nibbles = trial % 2 == 1;
        const panel p(random, nibbles ? 4 : 8);
        const std::size_t width = nibbles ? 1 : 2;
        const std::size_t out_step = p.rows * width + (random() % 2) * (random() % 40);
        bytes is(p.times * out_step + 64, untouched), right = is;
        for (std::size_t t = 0; t < p.times; ++t) {
            for (std::size_t r = 0; r < p.rows; ++r) {
                const bytes value = on_the_wire(p.at(r, t), nibbles, {});
                std::copy(value.begin(),
                          value.end(),
                          right.begin() +
                              static_cast<std::ptrdiff_t>(t * out_step + r * width));
            }
        }
        (nibbles ? turn_to_nibbles
                 : turn_pairs)(p.pairs(), p.step, p.rows, p.times, is.data(), out_step);
        check_bytes(is, right);
    }
}

BOOST_AUTO_TEST_CASE(packets_become_items)
{
    std::mt19937 random(test_seed());
    for (int trial = 0; trial < 200; ++trial) {
        const bool nibbles = trial % 2 == 1;
        const nibble_code code{random() % 2 == 0, random() % 2 == 0};
        const panel p(random, nibbles ? 4 : 8);
        const std::size_t at = random() % 20;
        // Spectra in places of their own, or one behind the other.
        const bool in_turn = p.rows == 2 && random() % 2 == 0;
        std::vector<bytes> spectra(p.times, bytes(in_turn ? 0 : at));
        bytes all;
        for (std::size_t t = 0; t < p.times; ++t) {
            bytes& to = in_turn ? all : spectra[t];
            for (std::size_t r = 0; r < p.rows; ++r) {
                const bytes value = on_the_wire(p.at(r, t), nibbles, code);
                to.insert(to.end(), value.begin(), value.end());
            }
        }
        components is(p.values.size(), static_cast<std::int8_t>(untouched)), right = is;
        for (std::size_t r = 0; r < p.rows; ++r) {
            std::copy_n(p.at(r, 0),
                        2 * p.times,
                        right.begin() + static_cast<std::ptrdiff_t>(2 * r * p.step));
        }
        auto* const out = reinterpret_cast<int8_pair*>(is.data());
        if (in_turn && nibbles) {
            divide_nibbles(all.data(), p.times, code, out, p.step);
        } else if (in_turn) {
            divide_pairs(all.data(), p.times, out, p.step);
        } else {
            std::vector<const std::uint8_t*> from;
            for (const bytes& spectrum : spectra) {
                from.push_back(spectrum.data());
            }
            if (nibbles) {
                turn_back_nibbles(from.data(), at, p.rows, p.times, code, out, p.step);
            } else {
                turn_back_pairs(from.data(), at, p.rows, p.times, out, p.step);
            }
        }
        BOOST_CHECK_EQUAL_COLLECTIONS(is.begin(), is.end(), right.begin(), right.end());
    }
}
