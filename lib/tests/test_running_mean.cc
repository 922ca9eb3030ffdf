/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/running_mean.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe;

namespace {

std::mt19937 random_bits(7);

std::size_t between(std::size_t low, std::size_t high)
{
    return std::uniform_int_distribution<std::size_t>(low, high)(random_bits);
}

//! A block of random voltages, and which samples are invalid.
struct random_block {
    std::size_t inputs, parts, stride, samples;
    std::vector<float> values;
    std::vector<invalid_run> invalid;

    random_block(std::size_t i, std::size_t p)
        : inputs(i), parts(p), stride(between(1, 70)), samples(between(0, stride))
    {
        values.resize(inputs * parts * stride);
        std::normal_distribution<float> noise(3, 10);
        std::generate(values.begin(), values.end(), [&] { return noise(random_bits); });
        for (std::size_t n = between(0, 4); n > 0; --n) { // in no order; some overlap
            invalid.push_back(
                {between(0, inputs - 1), between(0, stride), between(0, 20)});
        }
    }

    voltage_rows rows() { return {values.data(), inputs, parts, stride, samples}; }

    bool valid(std::size_t input, std::size_t t) const
    {
        return std::none_of(invalid.begin(), invalid.end(), [&](const invalid_run& r) {
            return r.input == input && t >= r.first && t < r.first + r.count;
        });
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(means_are_those_of_valid_samples_of_the_last_blocks)
{
    for (int k = 0; k < 60; ++k) {
        const std::size_t inputs = between(1, 4), parts = between(1, 2);
        const std::size_t maximum = between(1, 4);
        running_mean mean(maximum);
        std::vector<random_block> blocks;
        for (std::size_t n = 0; n < 7; ++n) {
            blocks.emplace_back(inputs, parts);
            random_block& last = blocks.back();
            const auto recorded = last.values;
            mean.add(std::make_shared<sample_sums>(sums_of(last.rows(), last.invalid)));
            mean.remove(last.rows());
            const std::size_t first = n + 1 > maximum ? n + 1 - maximum : 0;
            for (std::size_t row = 0; row < inputs * parts; ++row) {
                const std::size_t i = row / parts, part = row % parts;
                double sum = 0, count = 0;
                for (std::size_t b = first; b <= n; ++b) {
                    const auto& x = b == n ? recorded : blocks[b].values;
                    const auto& of = blocks[b];
                    for (std::size_t t = 0; t < of.samples; ++t) {
                        if (of.valid(i, t)) {
                            sum += double(x[(i * of.stride + t) * parts + part]);
                            ++count;
                        }
                    }
                }
                const double expected = count > 0 ? sum / count : 0;
                for (std::size_t t = 0; t < last.stride; ++t) {
                    const std::size_t at = (i * last.stride + t) * parts + part;
                    const double gone = double(recorded[at]) - double(last.values[at]);
                    BOOST_REQUIRE_SMALL(gone - (t < last.samples ? expected : 0), 1e-4);
                }
            }
            last.values = recorded;
        }
    }
}
