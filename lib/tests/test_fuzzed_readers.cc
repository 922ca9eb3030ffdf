/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Every reader of what comes from outside: its own good inputs, and these with changed bytes,
// which are read or refused in a sentence. scripts/fuzz does it for longer, and better aimed.

#include "fuzz/fuzzed_readers.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

namespace {

using fuzzed::bytes;

bytes changed(bytes b, std::mt19937_64& random)
{
    for (std::uint64_t k = random() % 4; k < 4; ++k) {
        std::uint8_t& byte = b[random() % std::min<std::size_t>(b.size(), 1300)];
        // Digits often become digits: other numbers, not other text.
        byte = static_cast<std::uint8_t>(
            random() % 2 && byte >= '0' && byte <= '9' ? '0' + random() % 10 : random());
    }
    if (random() % 8 == 0)
        b.resize(random() % b.size() + 1);
    return b;
}

} // namespace

BOOST_AUTO_TEST_CASE(good_inputs_are_read)
{
    for (const fuzzed::reader& r : fuzzed::readers())
        for (const bytes& seed : r.seeds())
            BOOST_TEST(r.take(seed), r.name);
}

BOOST_AUTO_TEST_CASE(changed_bytes_do_no_harm)
{
    std::mt19937_64 random(test_seed());
    for (const fuzzed::reader& r : fuzzed::readers())
        BOOST_TEST_CONTEXT(r.name)
        {
            const auto seeds = r.seeds();
            // An HDF5 file is first tried in a process of its own.
            const unsigned rounds = r.name == "spectra" ? 20 : 300;
            for (unsigned n = 0; n < rounds; ++n)
                r.take(changed(seeds[n % seeds.size()], random));
        }
}
