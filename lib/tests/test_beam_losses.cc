/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What lost spectra leave of a beam.
#include "kernel_cases.h"
#include "kernels/channelizer/rows.h"
#include "stages/beam_losses.h"
#include "stages/lost_beams.h"

using namespace gr::fringe;
using namespace kernel_cases;

// Blanked samples of half a spectrum of a filter of one tap, once in a spectrum that is
// invalid anyway.
BOOST_AUTO_TEST_CASE(blanked_samples_take_parts_away)
{
    const blanked_parts parts(16, 1, "rectangular");
    beam_losses losses(1, 2, 2);
    losses.set_weights({1.0f, 2.0f, 3.0f, 4.0f}); // [channel][input]
    losses.add(0, 4, {{1, 2, 1}}, {}, {}, {{1, 8, 8}, {1, 32, 16}}, &parts);
    BOOST_TEST(!losses.whole());
    BOOST_TEST(losses.expected(0, 0, 1) == 4 * 5.0);
    BOOST_TEST(losses.there(0, 0, 1) == 4 * 1.0 + 2.5 * 4.0,
               boost::test_tools::tolerance(1e-5));
    BOOST_TEST(losses.there(0, 1, 1) == 4 * 9.0 + 2.5 * 16.0,
               boost::test_tools::tolerance(1e-5));
}

// Spectrum 2 of input 1, half of which was blanked, did not come in channel 1.
BOOST_AUTO_TEST_CASE(blanked_samples_of_lost_spectra_are_lost_once)
{
    const blanked_parts parts(16, 1, "rectangular");
    beam_losses losses(1, 2, 2);
    losses.set_weights({1.0f, 2.0f, 3.0f, 4.0f});
    losses.add(0, 4, {}, {{1, 1, 1, 1, 2, 1}}, {}, {{1, 40, 8}}, &parts);
    BOOST_TEST(losses.there(0, 0, 1) == 4 * 1.0 + 3.5 * 4.0,
               boost::test_tools::tolerance(1e-5));
    BOOST_TEST(losses.there(0, 1, 1) == 4 * 9.0 + 3.0 * 16.0,
               boost::test_tools::tolerance(1e-5));
}

// Runs that overlap, cells that are zero: counted one by one.
BOOST_AUTO_TEST_CASE(weights_of_what_was_there)
{
    const std::size_t beams = 3, channels = 4, inputs = 5;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::complex<float>> w(beams * channels * inputs);
        for (auto& x : w) {
            x = {float(random_below(5)), float(random_below(3))};
        }
        std::vector<invalid_run> invalid;
        std::vector<lost_spectra> lost;
        std::vector<kernels::cell_run> flagged;
        for (std::size_t n = random_below(4); n > 0; --n) {
            invalid.push_back({random_below(inputs), random_below(30), random_below(20)});
            lost.push_back({random_below(3),
                            1 + random_below(2),
                            random_below(2),
                            1 + random_below(2),
                            random_below(30),
                            random_below(20)});
        }
        if (random_below(2)) {
            flagged.push_back(
                {std::uint32_t(random_below(12)), std::uint32_t(1 + random_below(8))});
        }
        beam_losses losses(beams, channels, inputs);
        losses.set_weights(w);
        const std::uint64_t first = random_below(10), count = 1 + random_below(30);
        losses.add(first, count, invalid, lost, flagged);
        bool whole = true;
        for (std::size_t b = 0; b < beams; ++b) {
            for (std::size_t c = 0; c < channels; ++c) {
                double there = 0, all = 0;
                for (std::size_t i = 0; i < inputs; ++i) {
                    const double power = std::norm(
                        std::complex<double>(w[(b * channels + c) * inputs + i]));
                    for (std::uint64_t t = first; t < first + count; ++t) {
                        const auto in_run = [&](std::uint64_t a, std::uint64_t n) {
                            return t >= a && t < a + n;
                        };
                        bool bad = false;
                        for (const auto& r : invalid) {
                            bad |= r.input == i && in_run(r.first, r.count);
                        }
                        for (const auto& l : lost) {
                            bad |= i >= l.input && i < l.input + l.inputs &&
                                   c >= l.channel && c < l.channel + l.channels &&
                                   in_run(l.first, l.count);
                        }
                        for (const auto& f : flagged) {
                            const std::size_t cell = c * inputs + i;
                            bad |= cell >= f.first && cell < f.first + f.count;
                        }
                        whole = whole && !bad;
                        all += power;
                        there += bad ? 0 : power;
                    }
                }
                BOOST_TEST(losses.there(b, c, 1) == there);
                BOOST_TEST(losses.expected(b, c, 1) == all);
            }
        }
        BOOST_TEST(losses.whole() == whole);
        BOOST_TEST(losses.spectra() == count);
        losses.clear();
        BOOST_TEST(losses.expected(0, 0, channels) == 0);
    }
}

// Phases of many channels, whose rounding adds up: beams of one polarization are one group.
BOOST_AUTO_TEST_CASE(beams_of_one_array_lose_the_same)
{
    const std::size_t beams = 12, channels = 1000, inputs = 16;
    std::vector<std::complex<float>> w(beams * channels * inputs);
    for (std::size_t b = 0; b < beams; ++b) {
        for (std::size_t i = b % 2; i < inputs; i += 2) {
            std::vector<std::complex<float>> row(channels, 1.0f);
            kernels::turn_row(1e-3 * double(random_below(1000)),
                              1e-6 * double(random_below(100000)),
                              channels,
                              reinterpret_cast<float*>(row.data()));
            for (std::size_t c = 0; c < channels; ++c) {
                w[(b * channels + c) * inputs + i] = row[c];
            }
        }
    }
    beam_losses losses(beams, channels, inputs);
    losses.set_weights(w);
    losses.add(0, 7, {}, {}, {{5 * inputs + 3, 4}, {5 * inputs + 5, 1}});
    losses.add(7, 7, {{4, 9, 2}}, {}, {});
    for (std::size_t b = 0; b < beams; ++b) {
        BOOST_TEST(losses.like(b) == b % 2);
        const double lost = b % 2 ? 2 * 7 : 2 * 7 + 2;
        BOOST_TEST(std::abs(losses.there(b, 5, 1) - (14 * 8 - lost)) < 1e-3);
        BOOST_TEST(std::abs(losses.expected(b, 5, 1) - 14 * 8) < 1e-3);
    }
    losses.set_weights(w); // what was lost before is that of each beam
    BOOST_TEST(losses.like(7) == 7u);
    losses.clear();
    BOOST_TEST(losses.like(7) == 1u);
}

// Most beams differ in their phases only. The weights change between two items.
BOOST_AUTO_TEST_CASE(weights_that_change_within_a_mean)
{
    const std::size_t beams = 7, channels = 3, inputs = 4;
    beam_losses losses(beams, channels, inputs);
    std::vector<double> there(beams * channels), expected(there.size());
    for (unsigned item = 0; item < 3; ++item) {
        std::vector<std::complex<float>> w(beams * channels * inputs);
        for (std::size_t n = 0; n < w.size(); ++n) {
            const std::size_t beam = n / inputs / channels, i = n % inputs;
            const float turn = float(random_below(1000)) * 6.2831853e-3f;
            const float size = float(1 + (beam == 5 || item) * i);
            w[n] = beam % 2 == i % 2 ? std::polar(size, turn) : 0.0f;
        }
        losses.set_weights(w);
        const std::uint64_t count = 1 + random_below(9);
        const std::uint32_t flagged = random_below(std::uint32_t(channels * inputs));
        losses.add(0, count, {}, {}, {{flagged, 1}});
        for (std::size_t n = 0; n < w.size(); ++n) {
            const double power = double(count) * std::norm(std::complex<double>(w[n]));
            expected[n / inputs] += power;
            there[n / inputs] += n % (channels * inputs) == flagged ? 0 : power;
        }
    }
    for (std::size_t n = 0; n < there.size(); ++n) {
        const std::size_t beam = n / channels, c = n % channels;
        BOOST_TEST(std::abs(losses.there(beam, c, 1) - there[n]) < 1e-5 * expected[n]);
        BOOST_TEST(std::abs(losses.expected(beam, c, 1) - expected[n]) <
                   1e-5 * expected[n]);
    }
    losses.clear();
    losses.add(0, 5, {}, {}, {{0, channels * inputs}});
    BOOST_TEST(losses.expected(1, 0, 1) > 0);
    BOOST_TEST(losses.there(1, 0, channels) == 0);
}

BOOST_AUTO_TEST_CASE(beams_are_lost_with_all_of_their_inputs)
{
    // Two channels, three inputs; beam 1 hears input 2 only.
    const std::vector<std::complex<float>> w{1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    const auto lost =
        lost_beams({{0, 2, 5}, {1, 4, 10}, {2, 0, 3}, {2, 9, 99}}, 12, w, 2, 3);
    BOOST_REQUIRE(lost.size() == 3u);
    const auto is = [&](std::size_t n, std::size_t beam, std::size_t a, std::size_t k) {
        return lost[n].input == beam && lost[n].first == a && lost[n].count == k;
    };
    BOOST_TEST(is(0, 0, 4, 3));
    BOOST_TEST(is(1, 1, 0, 3));
    BOOST_TEST(is(2, 1, 9, 3));
    BOOST_TEST(lost_beams({}, 12, w, 2, 3).empty());
}
