/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_KERNEL_CASES_H
#define INCLUDED_FRINGE_TESTS_KERNEL_CASES_H

#include "kernels/base/level_byte.h"
#include "kernels/base/types.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

// What the kernel tests share: fresh random inputs (the seed is printed; set
// FRINGE_TEST_SEED to run one again) and outputs that show what was not written.
namespace kernel_cases {

using gr::fringe::kernels::component;
using gr::fringe::kernels::level_byte;
using bytes = std::vector<std::uint8_t>;

inline std::mt19937_64& random_engine()
{
    static std::mt19937_64 engine = [] { return std::mt19937_64(test_seed()); }();
    return engine;
}

//! Whether a sweep over two parameters leaves out this pair of their numbers: every second one,
//! so that each value of both is still tried with half of the others. Nothing is left out where
//! FRINGE_TEST_SEED is set, as scripts/random_tests does.
inline bool is_left_out(std::size_t row, std::size_t column)
{
    return times_tried(2, 1) == 2 && (row + column) % 2 == 1;
}

//! Whether this comparison is another process's: with FRINGE_TEST_PART="k/n" in the environment a
//! process does number k, k + n, ... of the comparisons that it comes to, so that n processes do
//! all of them. What reads little and computes long under a tool is divided so.
inline bool is_of_another_part()
{
    static const auto part = [] {
        unsigned long first = 0, parts = 1;
        const char* word = std::getenv("FRINGE_TEST_PART");
        if (word &&
            (std::sscanf(word, "%lu/%lu", &first, &parts) != 2 || first >= parts)) {
            std::fprintf(stderr, "FRINGE_TEST_PART=%s: must be \"k/n\", k < n\n", word);
            std::exit(2);
        }
        return std::pair(first, parts);
    }();
    static unsigned long number = 0;
    return number++ % part.second != part.first;
}

inline std::size_t random_below(std::size_t n) { return random_engine()() % n; }

template <class T>
T pick(std::initializer_list<T> values)
{
    return values.begin()[random_below(values.size())];
}

//! Components over the whole range of the integers; floats of unit power; levels and zeros.
inline bytes random_components(component c, std::size_t count)
{
    if (c == component::level) {
        bytes out(count);
        for (std::uint8_t& byte : out) {
            byte = static_cast<std::uint8_t>(static_cast<int>(random_below(5)) - 2);
        }
        return out;
    }
    // One draw makes a float or eight bytes: draws took a quarter of the time of all tests.
    bytes out(count * component_bytes(c));
    if (c == component::f32) {
        for (std::size_t n = 0; n < count; n++) {
            // Nearly normal: the sum of four numbers of 16 bits, which are spread evenly.
            const std::uint64_t draw = random_engine()();
            const auto sum = (draw & 0xffff) + (draw >> 16 & 0xffff) +
                             (draw >> 32 & 0xffff) + (draw >> 48);
            const float value =
                (static_cast<float>(sum) / 65536.0f - 2.0f) * std::sqrt(3.0f);
            std::memcpy(&out[n * sizeof(value)], &value, sizeof(value));
        }
        return out;
    }
    for (std::size_t n = 0; n < out.size(); n += 8) {
        const std::uint64_t draw = random_engine()();
        std::memcpy(&out[n], &draw, std::min<std::size_t>(8, out.size() - n));
    }
    return out;
}

//! Root mean square of random_components().
inline double rms_of(component c)
{
    return c == component::i8      ? 74.0
           : c == component::i16   ? 18919.0
           : c == component::level ? 2.2
                                   : 1.0;
}

inline double component_at(const bytes& data, component c, std::size_t index)
{
    if (c == component::i8) {
        return reinterpret_cast<const std::int8_t*>(data.data())[index];
    }
    if (c == component::i16) {
        return reinterpret_cast<const std::int16_t*>(data.data())[index];
    }
    if (c == component::level) {
        return static_cast<double>(
            reinterpret_cast<const level_byte*>(data.data())[index]);
    }
    return static_cast<double>(reinterpret_cast<const float*>(data.data())[index]);
}

//! Not a number as float32, -1 as integers. No kernel may leave it where it has to write
//! or change it where it has not.
constexpr std::uint8_t poison = 0xff;

inline bool all_poison(const std::uint8_t* at, std::size_t count)
{
    for (std::size_t n = 0; n < count; n++) {
        if (at[n] != poison) {
            return false;
        }
    }
    return true;
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_KERNEL_CASES_H */
