/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_TEST_SEED_H
#define INCLUDED_FRINGE_TESTS_TEST_SEED_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

//! The seed of a test's random numbers, which is printed: the same every day, or what the
//! environment says in FRINGE_TEST_SEED, a number, or "random" for another one each time.
inline std::uint64_t test_seed()
{
    const char* word = std::getenv("FRINGE_TEST_SEED");
    std::uint64_t seed = 20260301;
    if (word && std::string(word) == "random") {
        seed = std::random_device{}();
    } else if (word && *word) {
        seed = std::strtoull(word, nullptr, 10);
    }
    std::fprintf(stderr, "FRINGE_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

//! How often something random is tried: `daily`, or `thorough` where FRINGE_TEST_SEED is set, as
//! scripts/random_tests does.
inline unsigned times_tried(unsigned daily, unsigned thorough)
{
    return std::getenv("FRINGE_TEST_SEED") ? thorough : daily;
}

#endif /* INCLUDED_FRINGE_TESTS_TEST_SEED_H */
