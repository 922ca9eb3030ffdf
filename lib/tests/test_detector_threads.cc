/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A window of many cells is shared out among threads: the causes are those of one thread, bit
// for bit, whatever is in it.
#include "kernels/base/worker_ranges.h"
#include "kernels/kurtosis/detector.h"
#include "test_seed.h"
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe::kernels;

namespace {

//! Windows of noise with carriers, bursts, lost spectra and what a float can do wrong.
struct windows {
    std::mt19937 random;
    std::size_t inputs, channels;
    std::vector<float> s1, s2;
    std::vector<std::uint32_t> valid;

    windows(std::uint32_t seed, std::size_t i, std::size_t c)
        : random(seed), inputs(i), channels(c), s1(i * c), s2(i * c), valid(i)
    {
    }
    void next()
    {
        std::normal_distribution<float> noise;
        std::uniform_real_distribution<float> any;
        for (auto& v : valid) {
            v = any(random) < 0.1f ? static_cast<std::uint32_t>(300 * any(random)) : 300;
        }
        const float burst = any(random) < 0.2f ? 1.5f : 1.0f;
        for (std::size_t k = 0; k < s1.size(); ++k) {
            const auto m = static_cast<float>(valid[k % inputs]);
            const float carrier = any(random) < 0.01f ? 3.0f : 1.0f;
            s1[k] = m * 40 * burst * carrier * (1 + noise(random) / 17);
            s2[k] = m > 0 ? 2 * s1[k] * s1[k] / m * (1 + noise(random) / 9) : 0;
        }
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(many_threads_decide_as_one_does)
{
    const auto seed = test_seed();
    for (const int clip : {0, 7}) {
        detector_params p;
        p.inputs = 150 + seed % 50;
        p.channels = 65536 / p.inputs + 1 + seed % 7;
        p.clip = clip;
        p.mask.assign(p.channels, 0);
        p.mask[3] = 1;
        p.bad_input.assign(p.inputs, 0);
        p.bad_input[seed % p.inputs] = 1;
        detector many(p);
        std::unique_ptr<detector> search;
        {
            const workers::serial_region alone;
            search = std::make_unique<detector>(p);
        }
        windows w(seed, p.inputs, p.channels);
        std::size_t flagged = 0;
        for (int n = 0; n < 40; ++n) {
            w.next();
            const auto& got = many.detect(w.s1.data(), w.s2.data(), w.valid);
            const auto& expected = search->detect(w.s1.data(), w.s2.data(), w.valid);
            BOOST_REQUIRE(got == expected);
            flagged += static_cast<std::size_t>(
                std::count_if(got.begin(), got.end(), [](auto c) { return c != 0; }));
        }
        BOOST_TEST(flagged > p.inputs * 40);
        BOOST_TEST(flagged < 40 * p.inputs * p.channels);
    }
}

BOOST_AUTO_TEST_CASE(ranges_cover_everything_once)
{
    std::mt19937 random(test_seed());
    workers threads(3);
    for (int n = 0; n < 200; ++n) {
        const std::size_t count = random() % 300, unit = 1 + random() % 40;
        const bool large = n % 4 != 0;
        std::vector<std::atomic<int>> met(count);
        std::atomic<int> uneven{0};
        run_ranges(threads, large, count, unit, [&](std::size_t first, std::size_t many) {
            uneven += large && many > 0 && first % unit != 0;
            for (std::size_t k = first; k < first + many; ++k) {
                ++met[k];
            }
        });
        BOOST_REQUIRE(uneven == 0);
        for (const auto& m : met) {
            BOOST_REQUIRE(m == 1);
        }
    }
}
