/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "test_seed.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gnuradio/fringe/observation.h>
#include <random>

using gr::fringe::observation;

namespace {

const std::string two = "antennas: [[0, 0, 0], [10, 0, 0]]\n";

// What is wrong with the text, in the reader's words.
std::string complaint(const std::string& yaml)
{
    try {
        observation::from_text(yaml, "obs.yml");
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "nothing";
}

void check_complaint(const std::string& yaml, const std::string& expected)
{
    const std::string sentence = complaint(yaml);
    BOOST_CHECK_MESSAGE(sentence.find(expected) != std::string::npos,
                        "'" << sentence << "' does not say '" << expected << "'");
}

const char* full = R"(
telescope: "My \"array\""
observer: someone
site: {latitude: -37.5, longitude: 77.5, height: 100}
antennas:
  - {name: A, enu: [0, 0, 0]}
  - [10, 0, 0]
  - {name: far, itrf: [1092680.1, 4928742.2, -3891512.3]}
inputs:
  - {antenna: ant1, polarization: Y, stream: 3, inverted: true}
  - {antenna: A, stream: 0, cable_delay: 1e-9, gain: 2.5, phase: 30, bad: yes}
  - {antenna: ant1, polarization: X}
  - {antenna: far, stream: 1}
sample_rate: 20e6
center_frequency: +150e6
sideband: lower
start_time: 2026-06-12T11:20:40.1Z
phase_center: {ra: 12h30m49.4s, dec: -12d23m28s, name: M87}
dut1: -0.1
format: ci8
channels: 96
taps: 8
window: blackman
spectra: 1024
requantize: 8
sky:
  receiver_noise: 0.5
  sources:
    - {name: S, l: 0.1, m: -0.2, flux: 0.25}
)";

} // namespace

BOOST_AUTO_TEST_CASE(every_field_is_read)
{
    const std::string text = full;
    observation obs = observation::from_text(text.substr(0, text.find("start_time")) +
                                             text.substr(text.find("phase_center")));
    BOOST_CHECK(!obs.has_start_time);
    BOOST_CHECK_EQUAL(obs.telescope, "My \"array\"");
    BOOST_CHECK_EQUAL(obs.antennas.size(), 3u);
    BOOST_CHECK_EQUAL(obs.antennas[1].name, "ant1");
    BOOST_CHECK_EQUAL(obs.antennas[2].itrf[1], 4928742.2);
    // Sorted antenna by antenna, X before Y.
    BOOST_REQUIRE_EQUAL(obs.inputs.size(), 4u);
    BOOST_CHECK((obs.streams() == std::vector<std::size_t>{0, 2, 3, 1}));
    BOOST_CHECK_EQUAL(obs.inputs[0].antenna, 0u);
    BOOST_CHECK_EQUAL(obs.inputs[1].polarization, 'X');
    BOOST_CHECK_EQUAL(obs.inputs[2].polarization, 'Y');
    BOOST_CHECK(obs.inputs[0].bad && obs.inputs[0].gain == 2.5);
    BOOST_CHECK(obs.dual_polarization());
    BOOST_CHECK((obs.conjugated() == std::vector<char>{1, 1, 0, 1}));
    BOOST_CHECK_EQUAL(obs.sample_rate, 20e6);
    BOOST_CHECK_EQUAL(obs.center_frequency, 150e6);
    BOOST_CHECK_CLOSE(
        obs.phase_center.longitude, (12 + 30. / 60 + 49.4 / 3600) * M_PI / 12, 1e-12);
    BOOST_CHECK_CLOSE(
        obs.phase_center.latitude, -(12 + 23. / 60 + 28. / 3600) * M_PI / 180, 1e-12);
    BOOST_CHECK_EQUAL(obs.phase_center.name, "M87");
    BOOST_CHECK_EQUAL(obs.spectra, 1024u);
    BOOST_CHECK_EQUAL(obs.integration, 0);
    BOOST_CHECK_EQUAL(obs.requantize, "8");
    BOOST_CHECK_EQUAL(obs.receiver_noise, 0.5);
    BOOST_REQUIRE_EQUAL(obs.sky.size(), 1u);
    BOOST_CHECK_EQUAL(obs.sky[0].b, -0.2);
}

BOOST_AUTO_TEST_CASE(defaults)
{
    const observation obs = observation::from_text(two + "polarizations: [X, Y]");
    BOOST_CHECK_EQUAL(obs.inputs.size(), 4u);
    BOOST_CHECK_EQUAL(obs.inputs[3].antenna, 1u);
    BOOST_CHECK_EQUAL(obs.inputs[3].stream, 3u);
    BOOST_CHECK_EQUAL(obs.inputs[3].polarization, 'Y');
    BOOST_CHECK_EQUAL(obs.integration, 1);
    BOOST_CHECK_EQUAL(obs.channels, 128u);
    BOOST_CHECK_EQUAL(observation::from_text(two).inputs.size(), 2u);
    BOOST_CHECK(!observation::from_text(two).has_site);
    // Both spellings of English are read; one is written.
    BOOST_CHECK(observation::from_text(two + "polarisations: [X, Y]").to_text() ==
                obs.to_text());
    // ITRF positions say where the site is.
    const observation itrf =
        observation::from_text("antennas: [{itrf: [1092680.1, 4928742.2, -3891512.3]}]");
    BOOST_CHECK(itrf.has_site);
    BOOST_CHECK_SMALL(itrf.antennas[0].enu[2], 1e-6);
    observation::example(24).check();
}

BOOST_AUTO_TEST_CASE(angles)
{
    const auto center = [](const std::string& ra, const std::string& dec) {
        return observation::from_text(two + "site: {latitude: 0, longitude: 0}\n" +
                                      "phase_center: {ra: '" + ra + "', dec: '" + dec +
                                      "'}")
            .phase_center;
    };
    for (const char* ra : {"12h30m0s", "12:30:00.0", "187.5", "+187d30m00s"}) {
        BOOST_CHECK_CLOSE(center(ra, "0").longitude, 187.5 * M_PI / 180, 1e-12);
    }
    for (const char* dec : {"-0d30m36s", "-00:30:36", "-0.51", "-0d30''36\""}) {
        BOOST_CHECK_CLOSE(center("0", dec).latitude, -0.51 * M_PI / 180, 1e-12);
    }
    for (const char* dec : {"", "-", "3h0m0s", "3d", "3d4m", "3d60m0s", "3:4:-5", "d:"}) {
        BOOST_CHECK_THROW(center("0", dec), std::invalid_argument);
    }
}

BOOST_AUTO_TEST_CASE(text_reads_back_as_the_same)
{
    std::string text = full;
    const auto at = text.find("start_time: 2026-06-12T11");
    for (int hour = 0; hour < 24; ++hour) { // at some hours the source is up
        text.replace(at + 23, 2, (hour < 10 ? "0" : "") + std::to_string(hour));
        if (complaint(text) == "nothing") {
            break;
        }
    }
    const observation obs = observation::from_text(text);
    const observation back = observation::from_text(obs.to_text());
    BOOST_CHECK_EQUAL(back.to_text(), obs.to_text());
    BOOST_CHECK(back.start_time == obs.start_time);
    BOOST_CHECK_EQUAL(back.phase_center.longitude, obs.phase_center.longitude);
    for (std::size_t a = 0; a < 3; ++a) {
        BOOST_CHECK(back.antennas[a].enu == obs.antennas[a].enu);
        BOOST_CHECK(back.antennas[a].itrf == obs.antennas[a].itrf);
    }
    const char* path = "test_array_observation.yml";
    std::ofstream(path) << obs.to_text();
    BOOST_CHECK_EQUAL(observation::from_file(path).to_text(), obs.to_text());
    std::remove(path);
}

BOOST_AUTO_TEST_CASE(directions_read_back_as_the_same)
{
    std::mt19937_64 random(test_seed());
    std::uniform_real_distribution<double> angle(-M_PI / 2, M_PI / 2), power(-12, 0);
    observation obs = observation::from_text(
        two + "site: {latitude: -37.5, longitude: 77.5, height: 100}\n");
    for (int k = 0; k < 300; k++) {
        auto& center = obs.phase_center;
        center = gr::fringe::phase_center();
        center.frame = gr::fringe::phase_center::kind::radec;
        center.longitude = M_PI / 2 + angle(random);
        center.latitude = angle(random) * std::pow(10, power(random));
        const auto back = observation::from_text(obs.to_text()).phase_center;
        BOOST_CHECK_EQUAL(back.longitude, center.longitude);
        BOOST_CHECK_EQUAL(back.latitude, center.latitude);
    }
}

BOOST_AUTO_TEST_CASE(mistakes_are_named)
{
    check_complaint(two + "sample_rat: 1",
                    "obs.yml, line 2: field sample_rat: there is no such field; "
                    "the nearest is 'sample_rate'");
    check_complaint(two + "inputs:\n  - {antenna: ant0}\n  - {antenna: ant7}",
                    "obs.yml, line 4: field inputs[1].antenna: 'ant7' is not an antenna; "
                    "there are ant0 ... ant1");
    check_complaint(two + "sample_rate: fast", "'fast' is not a number");
    check_complaint(two + "sample_rate: 20e6 Hz", "is not a number");
    check_complaint(two + "sample_rate: nan", "is not a number");
    check_complaint(two + "sample_rate: -1", "must be positive");
    check_complaint(two + "sample_rate: [1]", "must be one value");
    check_complaint(two + "window: han", "it must be rectangular, hann");
    check_complaint(two + "taps: 33", "must be 1 ... 32");
    check_complaint(two + "channels: 1.5", "whole number");
    check_complaint(two + "channels: 0", "obs.yml: channels: 0");
    check_complaint(two + "requantize: 16", "must be none, 8 or 4");
    check_complaint(two + "integration: 1\nspectra: 4", "exactly one of them");
    check_complaint(two + "start_time: noon", "field start_time: 'noon' is not a time");
    check_complaint(two + "phase_center: {ra: 12x, dec: 3}", "'12x' is not an angle");
    check_complaint(two + "phase_center: {ra: 12, el: 3}", "not by both");
    check_complaint(two + "phase_center: {ra: 12, dec: 91}", "-90 ... 90");
    check_complaint(two + "phase_center: {ra: 12, dec: 9}", "site: is not given");
    check_complaint(two + "phase_center: {az: 1, el: 2, elevation: 2}", "no such field");
    check_complaint(two + "site: {latitude: 3}", "has no 'longitude'");
    check_complaint(two + "site: {latitude: 95, longitude: 0}", "latitude");
    check_complaint(two + "inputs: []", "is empty");
    check_complaint(two + "inputs: [{antenna: ant0}]\npolarizations: [X]", "shorthand");
    check_complaint(
        two + "inputs: [{antenna: ant0}, {antenna: ant1, stream: 0}]",
        "line 2: field inputs[1]: its stream, 0, is that of inputs[0] already");
    check_complaint(two + "inputs: [{antenna: ant0}, {antenna: ant0}]",
                    "same antenna and polarization as inputs[0]");
    check_complaint(two + "inputs: [{antenna: ant0, gain: 0}]", "must be positive");
    check_complaint(two + "polarizations: [X, R]", "all inputs must be linear");
    check_complaint(two + "polarizations: [Z]", "must be X, Y, R or L");
    check_complaint(two + "sky: {sources: [{l: 0.8, m: 0.8}]}", "l^2 + m^2");
    check_complaint(two + "sky: {sources: [{az: 0, el: -3}]}", "below the horizon");
    check_complaint(two + "sky: {sources: [{az: 0, el: 3, l: 1}]}", "not by both");
    check_complaint(two + "sky: {receiver_noise: -1}", "not negative");
    check_complaint(two + two, "is given twice");
    check_complaint(two + "polarizations: [X]\npolarisations: [X]", "is given twice");
    check_complaint("antennas: []", "is empty");
    check_complaint("antennas: [[1, 2]]", "antennas[0]: has 2 numbers");
    check_complaint("antennas: [{name: A}]", "either enu or itrf");
    check_complaint("antennas: [{name: A, enu: [0,0,0]}, {name: A, enu: [1,0,0]}]",
                    "'A' is the name of antennas[0] already");
    check_complaint("telescope: x", "has no 'antennas'");
    check_complaint("", "key: value");
    check_complaint("antennas: [", "is not YAML");
    BOOST_CHECK_THROW(observation::from_file("no such file"), std::invalid_argument);
    BOOST_CHECK_THROW(observation::from_file("/"), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(positions_must_agree)
{
    observation obs = observation::example(2);
    obs.antennas[1].enu[0] += 1;
    BOOST_CHECK_THROW(obs.check(), std::invalid_argument);
    obs.set_site(50, 5, 0);
    obs.check();
}

BOOST_AUTO_TEST_CASE(frequencies)
{
    observation obs = observation::example(1);
    obs.sample_rate = 10;
    obs.center_frequency = 100;
    BOOST_CHECK(
        (obs.channel_frequencies(5, true) == std::vector<double>{96, 98, 100, 102, 104}));
    BOOST_CHECK(
        (obs.channel_frequencies(4, true) == std::vector<double>{95, 97.5, 100, 102.5}));
    // Real samples: from a quarter of the rate below the middle, in steps of 1/2C.
    BOOST_CHECK((obs.channel_frequencies(4, false) ==
                 std::vector<double>{97.5, 98.75, 100, 101.25}));
}

BOOST_AUTO_TEST_CASE(corrections_undo_the_receiver)
{
    observation obs = observation::example(2);
    BOOST_CHECK(obs.corrections(4, true).empty());
    obs.inputs[1].cable_delay = 123e-9;
    obs.inputs[1].gain = 2;
    obs.inputs[1].phase = 30;
    const auto c = obs.corrections(4, true);
    const auto f = obs.channel_frequencies(4, true);
    BOOST_REQUIRE_EQUAL(c.size(), 8u);
    for (std::size_t k = 0; k < 4; ++k) {
        BOOST_CHECK_EQUAL(c[k], 1.0f);
        // A tone through that receiver: late by the delay, advanced by the phase.
        const std::complex<double> heard =
            2. * std::polar(1., -2 * M_PI * f[k] * 123e-9 + 30 * M_PI / 180);
        BOOST_CHECK_SMALL(std::abs(heard * std::complex<double>(c[4 + k]) - 1.), 1e-6);
    }
}
