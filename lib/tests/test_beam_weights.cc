/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The weights of beams at an instant, against the geometry written out.
#include "beam_arrays.h"

using namespace beam_arrays;

BOOST_AUTO_TEST_CASE(weights_are_those_of_the_geometry)
{
    const observation obs = hill();
    const beam_weights weights(obs, spectra_of(obs));
    const auto s = beam_directions(obs).settings({"az=70,el=40", "zenith"}, {}, {});
    const auto w = weights.at(s, noon, obs.center_frequency, {});
    auto expected = plain_weights(obs, 70, 40);
    const auto zenith = plain_weights(obs, 0, 90);
    expected.insert(expected.end(), zenith.begin(), zenith.end());
    BOOST_TEST(farthest(w, expected) < 1e-5);
}

// The delays of a receiver, gains and amplitudes, a bad input.
BOOST_AUTO_TEST_CASE(receivers_are_in_the_weights)
{
    observation obs = hill();
    obs.inputs[1].cable_delay = 1e-7;
    obs.inputs[2].gain = 2;
    obs.inputs[3].phase = 50;
    obs.inputs[4].bad = true;
    auto of = spectra_of(obs);
    of.corrections = obs.corrections(obs.channels, true);
    const auto s = beam_directions(obs).settings({"az=70,el=40"}, {}, {1, 2, 3, 4, 5});
    const auto w =
        beam_weights(obs, of).at(s, noon, obs.center_frequency, {1, 1, 1, 0.5, 1});
    auto expected = plain_weights(obs, 70, 40);
    const auto f = obs.channel_frequencies(obs.channels, true);
    for (std::size_t n = 0; n < expected.size(); ++n) {
        const std::complex<double> factors[] = {
            1,
            2.0 * std::polar(1.0, 2 * M_PI * f[n / 5] * 1e-7),
            3.0 / 2,
            4.0 / 0.5 * std::polar(1.0, -50 * M_PI / 180),
            0};
        expected[n] *= factors[n % 5];
    }
    BOOST_TEST(farthest(w, expected) < 5e-5);
}

BOOST_AUTO_TEST_CASE(polarizations_have_beams_of_their_own)
{
    const observation obs = hill(true);
    const beam_weights weights(obs, spectra_of(obs));
    BOOST_TEST(weights.polarizations() == "XY");
    const auto s = beam_directions(obs).settings({"az=70,el=40"}, {}, {});
    const auto w = weights.at(s, noon, obs.center_frequency, {});
    const auto expected = plain_weights(obs, 70, 40);
    const std::size_t half = obs.channels * 10;
    BOOST_REQUIRE(w.size() == 2 * half);
    double worst = 0;
    for (std::size_t n = 0; n < w.size(); ++n) {
        const bool heard = n % 2 == n / half;
        worst = std::max(
            worst,
            std::abs(std::complex<double>(w[n]) - (heard ? expected[n % half] : 0.0)));
    }
    BOOST_TEST(worst < 1e-5);
}

BOOST_AUTO_TEST_CASE(nothing_is_heard_from_nulls)
{
    const observation obs = hill(true);
    const beam_weights weights(obs, spectra_of(obs));
    const beam_directions directions(obs);
    const std::vector<float> amplitudes{1, 1, 1, 1, 1, 1, 0, 1, 1, 1};
    // The second null is given twice.
    const auto s = directions.settings({"az=70,el=40", "zenith"},
                                       {"az=20,el=30", "az=200,el=80", "az=200,el=80"},
                                       amplitudes);
    const auto w = weights.at(s, noon, obs.center_frequency, {});
    const std::size_t channels = obs.channels;
    double loudest = 0, worst = 0;
    for (std::size_t cell = 0; cell < 4 * channels; ++cell) {
        const auto heard = [&](const std::vector<std::complex<double>>& from) {
            std::complex<double> sum;
            for (std::size_t i = 0; i < 10; ++i) {
                sum += std::complex<double>(w[cell * 10 + i]) *
                       std::conj(from[cell % channels * 10 + i]);
            }
            return sum;
        };
        loudest = std::max({loudest,
                            std::abs(heard(plain_weights(obs, 20, 30))),
                            std::abs(heard(plain_weights(obs, 200, 80)))});
        // A projection: what the beam hears from its direction is the square of its length.
        double length = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            length += std::norm(std::complex<double>(w[cell * 10 + i]));
        }
        const auto there = heard(cell < 2 * channels ? plain_weights(obs, 70, 40)
                                                     : plain_weights(obs, 0, 90));
        worst = std::max(worst, std::abs(there - length));
        for (std::size_t i = 0; i < 10; ++i) {
            if (amplitudes[i] == 0) {
                BOOST_TEST((w[cell * 10 + i] == 0.0f));
            }
        }
    }
    BOOST_TEST(loudest < 1e-5); // of 5 without nulls
    BOOST_TEST(worst < 1e-5);
}

// After an F-engine that tracks, a beam turns by what is left; in all it is the same beam.
BOOST_AUTO_TEST_CASE(beams_beside_the_tracked_direction)
{
    for (const bool stop : {true, false}) {
        observation obs = hill();
        obs.phase_center = phase_center::from_text("120,35");
        obs.inputs[2].cable_delay = 3e-7; // the F-engine's matter, too
        observation tracked = obs;
        tracked.tracking = true;
        tracked.fringe_stopping = stop;
        const beam_weights plain(obs, spectra_of(obs)),
            left(tracked, spectra_of(tracked));
        const auto s = beam_directions(obs).settings({"121,35.5"}, {}, {});
        const auto t = beam_directions(tracked).settings({"121,35.5"}, {}, {});
        const auto all = plain.at(s, noon, obs.center_frequency, {});
        auto w = left.at(t, noon, obs.center_frequency, {});
        // What the F-engine does to a spectrum, written out.
        const auto delays = beam_directions(tracked).reference()->delays(noon, 1, 1);
        const auto f = obs.channel_frequencies(obs.channels, true);
        for (std::size_t n = 0; n < w.size(); ++n) {
            const double of = f[n / 5] - (stop ? 0 : obs.center_frequency);
            w[n] *= std::complex<float>(std::polar(1.0, 2 * M_PI * of * delays[n % 5]));
        }
        BOOST_TEST(farthest(w, all) < 1e-3); // the retarded baseline: 1 ps
        BOOST_TEST(left.turning(t, noon, obs.center_frequency) < 0.02 + !stop);
        BOOST_TEST(left.turning(t, noon, obs.center_frequency) <
                   0.001 + 1.1 * plain.turning(s, noon, obs.center_frequency));
    }
}

BOOST_AUTO_TEST_CASE(wrong_settings)
{
    const observation obs = hill(true);
    const beam_directions directions(obs);
    const beam_weights weights(obs, spectra_of(obs));
    const auto refused = [&](const beam_settings& s) {
        BOOST_CHECK_THROW(weights.check(s), std::invalid_argument);
    };
    refused(directions.settings({}, {}, {}));
    refused(directions.settings({"zenith"}, {}, {1, 2, 3}));
    refused(directions.settings({"zenith"}, {}, {1, 1, 1, 1, 1, 1, 1, 1, 1, -1}));
    refused(directions.settings(
        {"zenith"},
        {"az=1,el=20", "az=2,el=20", "az=3,el=20", "az=4,el=20", "az=5,el=20"},
        {}));
    BOOST_CHECK_THROW(directions.settings({"nowhere"}, {}, {}), std::invalid_argument);
    BOOST_CHECK_THROW(directions.settings({"satellite=/nowhere"}, {}, {}),
                      std::exception);
    auto of = spectra_of(obs);
    of.corrections.resize(7);
    BOOST_CHECK_THROW(beam_weights(obs, of), std::invalid_argument);
    observation empty = obs;
    empty.inputs.clear();
    BOOST_CHECK_THROW(beam_weights(empty, spectra_of(obs)), std::invalid_argument);
}
