/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What the detector as a whole finds, and what it leaves alone.

#include "rfi_cases.h"
#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <gnuradio/fringe/threads.h>
#include <limits>
#include <stdexcept>

using namespace gr::fringe;
using namespace gr::fringe::kernels;

BOOST_AUTO_TEST_CASE(noise_is_flagged_at_the_asked_rate)
{
    for (double rate : {1e-3, 1e-2}) {
        double part = 0;
        const unsigned runs = times_tried(2, 12);
        for (unsigned seed = 0; seed < runs; ++seed) {
            rfi_case x(12, 128, 32, seed);
            rfi_params p = x.params();
            p.rate = rate;
            rfi_detector(p).detect(x.window());
            part += x.part() / runs;
        }
        // One run's part scatters by a quarter of it (of 40 runs).
        BOOST_CHECK_SMALL(part - rate, (0.2 + 4 * 0.25 / std::sqrt(runs)) * rate);
    }
}

// A median per snapshot moves with a burst over the whole band; one over time does not.
BOOST_AUTO_TEST_CASE(a_burst_over_the_whole_band_is_found)
{
    rfi_case x(6, 128, 32, 1);
    for (std::size_t c = 0; c < x.channels; ++c) {
        x.interfere(9, c, 0.015f); // 1.5 of one visibility's noise
    }
    rfi_detector(x.params()).detect(x.window());
    double found = 0;
    for (std::size_t c = 0; c < x.channels; ++c) {
        found += x.part(9, c) / 128;
    }
    BOOST_CHECK_GT(found, 0.99);
    BOOST_CHECK_LT(x.part() - found / 32, 2e-3);
}

// Edges that are too weak to be found are flagged with what they belong to; where edges are
// sharp, the cells beyond them are clean.
BOOST_AUTO_TEST_CASE(cells_beside_sharp_edges_are_left_alone)
{
    double beside = 0, faded = 0, cells = 0;
    for (unsigned seed = 0; seed < 4; ++seed) {
        rfi_case x(6, 128, 32, 500 + seed);
        for (std::size_t c = 40; c < 90; ++c) {
            for (std::size_t t = 12; t < 20; ++t) {
                x.interfere(t, c, 0.1f); // ten times one visibility's noise
            }
            x.interfere(20, c, 0.015f);
        }
        rfi_detector(x.params()).detect(x.window());
        for (std::size_t c = 42; c < 88; ++c) {
            beside += x.part(11, c);
            faded += x.part(20, c);
            ++cells;
        }
    }
    BOOST_CHECK_LT(beside / cells, 0.25);
    BOOST_CHECK_GT(faded / cells, 0.8);
}

// Kurtosis is blind to what is there half the time; the power of a dump is not.
BOOST_AUTO_TEST_CASE(half_duty_is_found)
{
    rfi_case x(6, 128, 32, 2);
    for (std::size_t t = 0; t < 32; ++t) {
        x.interfere(t, 40, 0.5f * 0.05f);              // within every dump
        x.interfere(t, 80, t % 2 == 0 ? 0.05f : 0.0f); // every other dump
    }
    rfi_detector(x.params()).detect(x.window());
    for (std::size_t t = 0; t < 32; ++t) {
        BOOST_CHECK_GT(x.part(t, 40), 0.99);
        BOOST_CHECK(t % 2 > 0 || x.part(t, 80) > 0.99);
    }
}

// Half of one visibility's noise: nothing for one baseline, much for all together.
BOOST_AUTO_TEST_CASE(the_array_finds_what_no_baseline_does)
{
    rfi_case x(16, 128, 32, 3);
    for (std::size_t t = 10; t < 14; ++t) {
        for (std::size_t c = 30; c < 40; ++c) {
            x.interfere(t, c, 0.006f);
        }
    }
    rfi_case alone = x;
    rfi_params p = x.params();
    rfi_detector(p).detect(x.window());
    p.power = false;
    rfi_detector(p).detect(alone.window());
    double together = 0, one_by_one = 0;
    for (std::size_t t = 10; t < 14; ++t) {
        for (std::size_t c = 30; c < 40; ++c) {
            together += x.part(t, c, bit(flag::power)) / 40;
            one_by_one += alone.part(t, c) / 40;
        }
    }
    BOOST_CHECK_GT(together, 0.8);
    BOOST_CHECK_LT(one_by_one, 0.2);
}

// Beside a strong source, weak interference moves |V| to both sides and not on the mean.
BOOST_AUTO_TEST_CASE(a_steady_source_does_not_hide_interference)
{
    rfi_case x(16, 128, 32, 11);
    for (std::size_t b = 0; b < x.baselines; ++b) {
        for (std::size_t t = 0; t < 32; ++t) {
            for (std::size_t c = 0; c < 128; ++c) {
                x.at(t, c, b) += 0.03f; // 3 of one visibility's noise
            }
        }
    }
    for (std::size_t t = 10; t < 14; ++t) {
        for (std::size_t c = 30; c < 40; ++c) {
            x.interfere(t, c, 0.006f);
        }
    }
    rfi_detector(x.params()).detect(x.window());
    double found = 0, elsewhere = x.part();
    for (std::size_t t = 10; t < 14; ++t) {
        for (std::size_t c = 30; c < 40; ++c) {
            found += x.part(t, c, bit(flag::power)) / 40;
            elsewhere -= x.part(t, c) / (32 * 128);
        }
    }
    BOOST_CHECK_GT(found, 0.8);
    BOOST_CHECK_LT(elsewhere, 1.5e-3);
}

// What one station hears from its own rack is its own.
BOOST_AUTO_TEST_CASE(a_station_is_flagged_for_itself)
{
    rfi_case x(8, 128, 32, 4);
    std::uniform_real_distribution<float> turn(0, 6.2831853f);
    for (std::size_t j = 0; j < 8; ++j) {
        const std::size_t b = j < 3 ? baseline_index(j, 3, 8) : baseline_index(3, j, 8);
        for (std::size_t c = 50; c < 54; ++c) {
            x.at(20, c, b) +=
                j == 3 ? std::complex<float>(0.02f) : std::polar(0.02f, turn(x.random));
        }
    }
    rfi_detector(x.params()).detect(x.window());
    for (std::size_t i = 0, b = 0; i < 8; ++i) {
        for (std::size_t j = i; j < 8; ++j, ++b) {
            double found = 0;
            for (std::size_t c = 50; c < 54; ++c) {
                found += x.flags(20, c, b) != 0;
            }
            BOOST_CHECK_EQUAL(found, i == 3 || j == 3 ? 4 : 0);
        }
    }
}

BOOST_AUTO_TEST_CASE(lost_cells_are_neither_used_nor_searched)
{
    rfi_case x(4, 64, 32, 5);
    std::mt19937 random(1);
    for (std::size_t t = 0; t < 32; ++t) {
        for (std::size_t k = 0; k < x.v[t].size(); ++k) {
            switch (random() % 4) {
            case 0:
                x.w[t][k] = 0;
                x.v[t][k] = 1e30f;
                break;
            case 1:
                x.f[t][k] = bit(flag::kurtosis);
                x.v[t][k] = std::numeric_limits<float>::quiet_NaN();
                break;
            default:
                break;
            }
        }
    }
    const auto before = x.f;
    rfi_detector(x.params()).detect(x.window());
    double found = 0, searched = 0;
    for (std::size_t t = 0; t < 32; ++t) {
        for (std::size_t k = 0; k < x.v[t].size(); ++k) {
            if (x.w[t][k] == 0 || before[t][k]) {
                BOOST_REQUIRE_EQUAL(+x.f[t][k], +before[t][k]);
            } else {
                ++searched;
                found += x.f[t][k] != 0;
            }
        }
    }
    BOOST_CHECK_LT(found / searched, 3e-3);

    rfi_case nothing(2, 32, 4, 6);
    for (auto& w : nothing.w) {
        std::fill(w.begin(), w.end(), 0.0f);
    }
    rfi_detector(nothing.params()).detect(nothing.window());
    BOOST_CHECK_EQUAL(nothing.part(), 0);
}

// A dump with a tenth of the weight has three times the noise, and is not interference.
BOOST_AUTO_TEST_CASE(little_weight_is_no_interference)
{
    rfi_case x(6, 128, 32, 7), little(6, 128, 1, 8);
    for (std::size_t k = 0; k < x.v[0].size(); ++k) {
        const bool power = std::abs(x.v[0][k]) > 0.5f;
        x.v[0][k] = power ? 1.0f + (little.v[0][k] - 1.0f) * std::sqrt(10.0f)
                          : little.v[0][k] * std::sqrt(10.0f);
        x.w[0][k] = 0.1f;
    }
    rfi_case unweighted = x;
    rfi_detector d(x.params());
    d.detect(x.window());
    BOOST_CHECK_LT(x.part(), 2e-3);
    for (auto& w : unweighted.w) {
        std::fill(w.begin(), w.end(), 1.0f);
    }
    d.detect(unweighted.window());
    BOOST_CHECK_GT(unweighted.part(), 0.02); // so it is the weights that do it
}

namespace {

// A steady source (in units of a visibility's noise with all of its weight) and stations that
// lose some of their samples now and then: 0.06 to 1 of the weight remain of each.
rfi_case with_lossy_stations(double source, unsigned seed)
{
    rfi_case x(8, 128, 32, seed);
    const float noise = 0.01f * std::sqrt(0.5f);
    std::uniform_real_distribution<float> turn(0, 6.2831853f), log_weight(-2.8f, 0.0f);
    for (std::size_t i = 0, b = 0; i < x.inputs; ++i) {
        for (std::size_t j = i; j < x.inputs; ++j, ++b) {
            const auto sky =
                std::polar(static_cast<float>(source) * noise, turn(x.random));
            for (std::size_t t = 0; t < 32 && i != j; ++t) {
                for (std::size_t c = 0; c < x.channels; ++c) {
                    x.at(t, c, b) += sky;
                }
            }
        }
    }
    for (std::size_t t = 0; t < 32; ++t) {
        std::vector<float> kept(x.inputs, 1);
        for (std::size_t i = 1; i < x.inputs; i += 3) {
            kept[i] = (t + i) % 5 < 2 ? std::exp(log_weight(x.random)) : 1.0f;
        }
        std::normal_distribution<float> more(0, 1);
        for (std::size_t c = 0; c < x.channels; ++c) {
            for (std::size_t i = 0, b = 0; i < x.inputs; ++i) {
                for (std::size_t j = i; j < x.inputs; ++j, ++b) {
                    const float w = i == j ? kept[i] : kept[i] * kept[j];
                    x.w[t][c * x.baselines + b] = w;
                    const float rest = noise * std::sqrt(1 / w - 1);
                    x.at(t, c, b) +=
                        i == j
                            ? rfi_case::value(rest * std::sqrt(2.0f) * more(x.random), 0)
                            : rfi_case::value(rest * more(x.random),
                                              rest * more(x.random));
                }
            }
        }
    }
    return x;
}

} // namespace

// Whatever the source, a cell is not flagged because it has less weight than others.
BOOST_AUTO_TEST_CASE(rates_hold_for_any_source_at_any_weight,
                     *boost::unit_test::label("statistics"))
{
    const std::vector<double> edges{0, 0.03, 0.1, 0.3, 0.5, 0.999, 2};
    for (const double source : {0.0, 1.0, 3.0, 10.0, 30.0}) {
        if ((source == 1.0 || source == 10.0) && times_tried(0, 1) == 0) {
            continue; // between others
        }
        std::vector<double> flagged(edges.size(), 0), cells(edges.size(), 0);
        for (unsigned seed = 0; seed < times_tried(3, 6); ++seed) {
            rfi_case x = with_lossy_stations(source, 100 + seed);
            rfi_detector(x.params()).detect(x.window());
            for (std::size_t t = 0; t < 32; ++t) {
                for (std::size_t k = 0; k < x.v[t].size(); ++k) {
                    const auto above =
                        std::upper_bound(edges.begin(), edges.end(), x.w[t][k]);
                    const auto of = static_cast<std::size_t>(above - edges.begin()) - 1;
                    ++cells[of];
                    flagged[of] += x.f[t][k] != 0;
                }
            }
        }
        double all = 0, of_all = 0;
        for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
            BOOST_TEST_MESSAGE("source " << source << ", weights from " << edges[k]
                                         << ": " << flagged[k] / cells[k] << " of "
                                         << cells[k]);
            // Twice the rate and four standard deviations, and one run over the band.
            const double maximum = 2e-3 * cells[k] + 4 * std::sqrt(2e-3 * cells[k]) + 128;
            BOOST_CHECK_LT(flagged[k], maximum);
            all += cells[k];
            of_all += flagged[k];
        }
        BOOST_CHECK_CLOSE(of_all / all, 1e-3, 60.0); // a strong source: a little less
    }
}

// A channel that always has little weight: its noise alone is more.
BOOST_AUTO_TEST_CASE(channels_of_little_weight_are_flagged_at_the_asked_rate,
                     *boost::unit_test::label("statistics"))
{
    for (const double source : {0.0, 3.0}) {
        double part = 0;
        const unsigned runs = times_tried(2, 4);
        for (unsigned seed = 0; seed < runs; ++seed) {
            rfi_case x(12, 128, 32, 300 + seed);
            x.weigh_channels(0.01, 1);
            x.add_source(source);
            rfi_detector(x.params()).detect(x.window());
            part += x.part() / runs;
        }
        // One run's part scatters by 0.2e-3 to 0.3e-3 (of 40 runs).
        BOOST_CHECK_SMALL(part - 1e-3, 0.2e-3 + 4 * 0.3e-3 / std::sqrt(runs));
    }
}

// The power of a source fluctuates in all baselines together, so that sums over them are skew:
// visibilities of 800 samples of one source, 0 to 20 times as strong as their noise.
BOOST_AUTO_TEST_CASE(a_source_that_fluctuates_is_no_interference,
                     *boost::unit_test::label("statistics"))
{
    for (const double source : {0.14, 0.4, 9.0}) { // in units of a receiver's noise
        double part = 0;
        const unsigned runs = times_tried(3, 24);
        for (unsigned seed = 0; seed < runs; ++seed) {
            rfi_case x(10, 128, 32, 400 + seed);
            x.hear(source, 800);
            rfi_detector(x.params()).detect(x.window());
            part += x.part() / runs;
        }
        // Within 20 %, and four standard deviations of the mean: flags come in clumps, so
        // that one run's part scatters by 0.2e-3 to 0.4e-3 (of 40 runs).
        BOOST_CHECK_SMALL(part - 1e-3, 0.2e-3 + 4 * 0.4e-3 / std::sqrt(runs));
    }
}

BOOST_AUTO_TEST_CASE(dumps_that_were_searched_are_background_only)
{
    rfi_case x(4, 64, 32, 9);
    for (std::size_t c = 0; c < 64; ++c) {
        x.interfere(5, c, 0.2f);
        x.interfere(31, c, 0.2f);
    }
    rfi_window w = x.window();
    w.first_new = 31;
    rfi_detector(x.params()).detect(w);
    BOOST_CHECK_EQUAL(x.part(5, 10), 0);
    BOOST_CHECK_EQUAL(x.part(31, 10), 1);
}

BOOST_AUTO_TEST_CASE(flags_do_not_depend_on_the_threads)
{
    rfi_case example(9, 100, 17, 10);
    for (std::size_t t = 3; t < 9; ++t) {
        example.interfere(t, 50 + t, 0.015f);
    }
    rfi_case four = example;
    set_threads(1);
    rfi_detector(example.params()).detect(example.window());
    set_threads(4);
    rfi_detector(four.params()).detect(four.window());
    set_threads(0);
    BOOST_CHECK(example.f == four.f);
    BOOST_CHECK_GT(example.part(), 0.001);
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused)
{
    rfi_params p;
    p.rate = 0;
    BOOST_CHECK_THROW(rfi_detector{p}, std::invalid_argument);
    p.rate = 1e-3;
    p.median = p.threshold = p.power = false;
    BOOST_CHECK_THROW(rfi_detector{p}, std::invalid_argument);
    p.median = true;
    p.stations = {0, 1};
    BOOST_CHECK_THROW(rfi_detector{p}, std::invalid_argument);
}
