/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/reducing/reducer.h"
#include "scratch.h"
#include <boost/test/unit_test.hpp>
#include <gnuradio/fringe/flags.h>
#include <random>

using namespace gr::fringe;

namespace {

observation dual(std::size_t antennas, const std::string& pols = "XY")
{
    observation obs = observation::example(antennas);
    obs.inputs.clear();
    for (std::size_t a = 0; a < antennas; ++a) {
        for (const char p : pols) {
            input in;
            in.antenna = a;
            in.polarization = p;
            in.stream = obs.inputs.size();
            obs.inputs.push_back(in);
        }
    }
    return obs;
}

kernels::dump_cells noise(std::size_t cells)
{
    std::mt19937 random(3);
    std::normal_distribution<float> value;
    std::uniform_real_distribution<float> fraction(0.1f, 1);
    kernels::dump_cells d;
    for (std::size_t n = 0; n < cells; ++n) {
        d.visibilities.emplace_back(value(random), value(random));
        d.weights.push_back(fraction(random));
    }
    d.flags.assign(cells, 0);
    return d;
}

kernels::dump_cells reduced(const dump_axes& axes, const kernels::dump_cells& in)
{
    kernels::dump_cells out;
    kernels::reducer(axes).reduce(in, out);
    return out;
}

} // namespace

// The middles of the groups, and what the reduced observation says they are: every
// factor, real and complex samples, both sidebands.
BOOST_AUTO_TEST_CASE(frequencies_of_averaged_channels)
{
    for (const bool complex_samples : {true, false}) {
        for (const bool lower : {false, true}) {
            for (const std::size_t channels : {30u, 31u, 64u}) {
                auto obs = observation::example(2);
                obs.sample_rate = 2.4e6;
                obs.center_frequency = 1420.40575e6;
                obs.lower_sideband = lower;
                const auto f = obs.channel_frequencies(channels, complex_samples);
                for (std::size_t average = 1; average <= 9; ++average) {
                    for (const std::size_t first : {0u, 3u}) {
                        dump_selection s;
                        s.average = average;
                        s.first_channel = first;
                        const dump_axes axes(obs, channels, complex_samples, s);
                        const std::size_t n = (channels - first) / average;
                        BOOST_REQUIRE_EQUAL(axes.frequencies.size(), n);
                        const auto small = axes.reduced_observation();
                        const auto stated = small.channel_frequencies(n, complex_samples);
                        BOOST_CHECK_EQUAL(small.lower_sideband, lower);
                        for (std::size_t m = 0; m < n; ++m) {
                            double mean = 0;
                            for (std::size_t k = 0; k < average; ++k) {
                                mean += (f[first + m * average + k] - f[0]) / average;
                            }
                            BOOST_CHECK_SMALL(axes.frequencies[m] - f[0] - mean, 1e-5);
                            BOOST_CHECK_SMALL(stated[m] - axes.frequencies[m], 1e-5);
                            BOOST_CHECK_CLOSE(
                                axes.widths[m], average * (f[1] - f[0]), 1e-6);
                        }
                    }
                }
            }
        }
    }
}

// Delays that were tracked without the fringes have their phases about the middle of the
// band.
BOOST_AUTO_TEST_CASE(the_middle_of_tracked_delays_must_stay)
{
    auto obs = observation::example(2);
    obs.tracking = true;
    dump_selection s;
    s.average = 2;
    dump_axes(obs, 8, true, s).reduced_observation();
    obs.fringe_stopping = false;
    check_refused<std::invalid_argument>(
        [&] { dump_axes(obs, 8, true, s).reduced_observation(); },
        {"fringe_stopping", "150000000 Hz", "middle of the band"});
    s.average = 3; // 0 1 2, 3 4 5, 6 7 8: the middle is that of 4
    dump_axes(obs, 9, true, s).reduced_observation();
}

BOOST_AUTO_TEST_CASE(channels_by_frequency)
{
    const auto obs = observation::example(2); // 1 MS/s at 150 MHz: 10 channels of 100 kHz
    dump_selection s;
    s.lowest = 149.75e6;
    s.highest = 150.25e6;
    const dump_axes axes(obs, 10, true, s);
    const std::vector<double> right{149.8e6, 149.9e6, 150e6, 150.1e6, 150.2e6};
    BOOST_CHECK_EQUAL_COLLECTIONS(
        axes.frequencies.begin(), axes.frequencies.end(), right.begin(), right.end());
    s.average = 2; // the fifth is left over
    BOOST_CHECK_EQUAL(dump_axes(obs, 10, true, s).frequencies.size(), 2u);
    s.highest = 149.85e6;
    check_refused<std::invalid_argument>([&] { dump_axes(obs, 10, true, s); },
                                         {"fewer than 2", "149500000", "150400000"});
    s = {};
    s.average = 3;
    s.channels = 8;
    check_refused<std::invalid_argument>([&] { dump_axes(obs, 10, true, s); },
                                         {"average: 3", "divide the 8"});
    s = {};
    s.first_channel = 10;
    check_refused<std::invalid_argument>([&] { dump_axes(obs, 10, true, s); },
                                         {"first_channel: 10", "0 ... 9"});
}

// V = sum w V / sum w and weight = sum w / N over what is not flagged.
BOOST_AUTO_TEST_CASE(averages_by_weight_and_leaves_flagged_cells_out)
{
    const auto obs = observation::example(3);
    dump_selection s;
    s.average = 3;
    const dump_axes axes(obs, 9, true, s);
    auto in = noise(9 * 6);
    in.flags[0 * 6 + 2] = bit(flag::median);
    in.weights[4 * 6 + 1] = 0;
    for (std::size_t k = 6; k < 9; ++k) { // nothing is left of product 5
        in.flags[k * 6 + 5] = k == 6 ? bit(flag::power) : bit(flag::mask);
    }
    const auto out = reduced(axes, in);
    BOOST_REQUIRE_EQUAL(out.visibilities.size(), 3u * 6);
    for (std::size_t m = 0; m < 3; ++m) {
        for (std::size_t b = 0; b < 6; ++b) {
            std::complex<double> sum = 0;
            double weight = 0;
            for (std::size_t k = 3 * m; k < 3 * m + 3; ++k) {
                const std::size_t at = k * 6 + b;
                const double w = in.flags[at] ? 0 : in.weights[at];
                sum += w * std::complex<double>(in.visibilities[at]);
                weight += w;
            }
            const std::size_t at = m * 6 + b;
            BOOST_CHECK_SMALL(out.weights[at] - weight / 3, 1e-6);
            const auto v = std::complex<double>(out.visibilities[at]);
            BOOST_CHECK_SMALL(std::abs(weight > 0 ? v - sum / weight : v), 1e-6);
            BOOST_CHECK_EQUAL(+out.flags[at],
                              weight > 0 ? 0 : bit(flag::power) | bit(flag::mask));
        }
    }
    BOOST_CHECK_EQUAL(out.weights[2 * 6 + 5], 0);
    // Selecting alone changes nothing.
    s.average = 1;
    s.first_channel = 6;
    const auto same = reduced(dump_axes(obs, 9, true, s), in);
    BOOST_CHECK(std::equal(same.visibilities.begin(),
                           same.visibilities.end(),
                           in.visibilities.begin() + 36));
    BOOST_CHECK(std::equal(same.flags.begin(), same.flags.end(), in.flags.begin() + 36));
}

// Averages leave out the channel of both edges of the band, and that of DC where asked to.
BOOST_AUTO_TEST_CASE(averages_leave_out_channels_of_the_band)
{
    const auto obs = observation::example(1);
    kernels::dump_cells in;
    for (const float v : {100, 1, 2, 3, 100, 5, 6, 7}) {
        in.visibilities.emplace_back(v);
        in.weights.push_back(1);
    }
    const auto means = [&](bool complex_samples, bool keep_edge, bool flag_dc) {
        dump_selection s;
        s.average = 4;
        s.keep_edge = keep_edge;
        s.flag_dc = flag_dc;
        const auto out = reduced(dump_axes(obs, 8, complex_samples, s), in);
        BOOST_CHECK_EQUAL(out.weights[0] < 1, complex_samples ? !keep_edge : flag_dc);
        return std::vector<float>{out.visibilities[0].real(), out.visibilities[1].real()};
    };
    const std::vector<float> all{26.5f, 29.5f}, inner{2, 29.5f}, both{2, 6};
    BOOST_TEST(means(true, true, false) == all);
    BOOST_TEST(means(true, false, false) == inner);
    BOOST_TEST(means(true, false, true) == both);
    BOOST_TEST(means(false, false, false) == all);
    BOOST_TEST(means(false, false, true) == inner);
}

BOOST_AUTO_TEST_CASE(products_and_polarizations)
{
    const auto obs = dual(3); // inputs 0X 0Y 1X 1Y 2X 2Y
    using pairs = std::vector<std::array<std::size_t, 2>>;
    const auto of = [&](const std::string& products, const std::string& polarization) {
        dump_selection s;
        s.products = products;
        s.polarization = polarization;
        return dump_axes(obs, 4, true, s);
    };
    BOOST_CHECK_EQUAL(of("all", "all").baselines.size(), 21u);
    BOOST_CHECK(of("all", "Y").baselines ==
                (pairs{{1, 1}, {1, 3}, {1, 5}, {3, 3}, {3, 5}, {5, 5}}));
    BOOST_CHECK(of("all", "YY").baselines == of("all", "Y").baselines);
    BOOST_CHECK(of("autos", "X").baselines == (pairs{{0, 0}, {2, 2}, {4, 4}}));
    // Within one antenna, cross-hands included.
    BOOST_CHECK_EQUAL(of("autos", "all").baselines.size(), 9u);
    BOOST_CHECK_EQUAL(of("crosses", "all").baselines.size(), 12u);
    BOOST_CHECK(of("crosses", "XY").baselines == (pairs{{0, 1}, {0, 2}, {1, 2}}));

    const auto in = noise(4 * 21);
    const auto out = reduced(of("all", "Y"), in);
    BOOST_CHECK_EQUAL(out.visibilities[6 + 4], in.visibilities[21 + 17]); // 3-5
    // YX of an antenna with itself is the conjugate of what the correlator has.
    const auto yx = reduced(of("all", "YX"), in);
    BOOST_CHECK_EQUAL(yx.visibilities[0], std::conj(in.visibilities[1]));

    const auto small = of("crosses", "Y").reduced_observation();
    BOOST_REQUIRE_EQUAL(small.inputs.size(), 3u);
    BOOST_CHECK_EQUAL(small.inputs[2].stream, 5u);
    check_refused<std::invalid_argument>([&] { of("all", "I").reduced_observation(); },
                                         {"polarization: I", "for displays"});
    check_refused<std::invalid_argument>([&] { of("all", "R"); }, {"no such input"});
    check_refused<std::invalid_argument>([&] { of("all", "XR"); },
                                         {"polarization: XR", "I Q U V"});
    check_refused<std::invalid_argument>([&] { of("cross", "X"); }, {"autos or crosses"});
}

// A wave of given Stokes parameters, received by both kinds of feeds.
BOOST_AUTO_TEST_CASE(stokes_parameters)
{
    const std::array<double, 4> sky{3, 0.5, -0.7, 1.1}; // I Q U V
    const auto [I, Q, U, V] = sky;
    const std::complex<double> i(0, 1);
    const std::array<std::complex<double>, 4> linear{I + Q, U + i * V, U - i * V, I - Q};
    const std::array<std::complex<double>, 4> circular{
        I + V, Q + i * U, Q - i * U, I - V};
    for (const std::string family : {"XY", "RL"}) {
        const auto obs = dual(2, family);
        const auto& pq = family == "XY" ? linear : circular;
        kernels::dump_cells in;
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = a; b < 4; ++b) {
                const auto v = pq[2 * (a % 2) + b % 2];
                in.visibilities.emplace_back(v);
                in.weights.push_back(a % 2 == 0 ? 1.0f : 0.5f);
            }
        }
        for (std::size_t k = 0; k < 4; ++k) {
            dump_selection s;
            s.polarization = std::string("IQUV").substr(k, 1);
            const auto out = reduced(dump_axes(obs, 1, true, s), in);
            BOOST_REQUIRE_EQUAL(out.visibilities.size(), 3u);
            for (const auto& v : out.visibilities) {
                BOOST_CHECK_SMALL(std::abs(std::complex<double>(v) - sky[k]), 1e-6);
            }
            BOOST_CHECK_CLOSE(out.weights[1], 2 / (1 / 1.0 + 1 / 0.5), 1e-4);
        }
    }
}
