/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Which weights count for which spectra.
#include "beam_arrays.h"
#include "stages/beam_plan.h"

using namespace beam_arrays;

namespace {

beam_plan plan_of(const observation& obs, const std::vector<std::string>& directions)
{
    return {beam_weights(obs, spectra_of(obs)),
            beam_directions(obs).settings(directions, {}, {})};
}

array::timeline started(double rate)
{
    array::timeline time;
    time.begin(noon, rate, 0);
    return time;
}

} // namespace

// A direction among the stars: each spectrum has the weights of its instant, nearly.
BOOST_AUTO_TEST_CASE(weights_follow_the_sky)
{
    observation obs = hill();
    obs.center_frequency = 1.4e9;
    const double rate = 500; // spectra a second
    const auto time = started(rate);
    const std::string direction = "120,35";
    auto plan = plan_of(obs, {direction});
    plan.describe(obs.center_frequency, {});
    const beam_weights exact(obs, spectra_of(obs));
    const auto s = beam_directions(obs).settings({direction}, {}, {});
    std::vector<std::complex<float>> now;
    double worst = 0;
    std::size_t stretches = 0;
    for (std::uint64_t n = 0; n < 3000;) {
        const std::uint64_t count = plan.next(time, n, 173);
        BOOST_REQUIRE((count > 0 && count <= 173));
        stretches += plan.changed();
        BOOST_TEST(plan.turned() == (plan.changed() && n > 0));
        if (plan.changed()) {
            now = plan.turned() ? plan.steering().weights() : plan.weights();
        }
        for (const std::uint64_t k : {n, n + count - 1}) {
            const auto then = exact.at(s, time.middle(k), obs.center_frequency, {});
            worst = std::max(worst, farthest(now, then));
        }
        n += count;
    }
    BOOST_TEST(worst < 1.05 * 2 * M_PI * beam_plan::max_turn);
    BOOST_TEST(worst > 0.5 * 2 * M_PI * beam_plan::max_turn); // no shorter than needed
    BOOST_TEST(stretches > 6);
    BOOST_TEST(stretches < 600);
}

// Corrections and directions that wait for other times, given in the other order.
BOOST_AUTO_TEST_CASE(new_corrections_count_from_their_spectrum_on)
{
    const observation obs = hill();
    const auto time = started(1000);
    auto plan = plan_of(obs, {"zenith"});
    plan.describe(obs.center_frequency, {});
    plan.change(beam_directions(obs).settings({"az=70,el=40"}, {}, {}),
                noon.plus_seconds(0.2505));
    const std::size_t values = obs.inputs.size() * spectra_of(obs).channels;
    plan.correct(std::vector<std::complex<float>>(values, {0, 2}),
                 noon.plus_seconds(0.1203));
    auto plain = plain_weights(obs, 0, 90);
    BOOST_TEST(plan.next(time, 0, 400) == 120u);
    BOOST_TEST(farthest(plan.weights(), plain) < 1e-5);
    BOOST_TEST(plan.next(time, 120, 400) == 130u);
    BOOST_TEST(plan.changed());
    for (auto& w : plain) {
        w *= std::complex<float>(0, 2);
    }
    BOOST_TEST(farthest(plan.weights(), plain) < 1e-5);
    BOOST_TEST(plan.next(time, 250, 400) == 400u);
    plain = plain_weights(obs, 70, 40);
    for (auto& w : plain) {
        w *= std::complex<float>(0, 2);
    }
    BOOST_TEST(farthest(plan.weights(), plain) < 1e-4);
    BOOST_CHECK_THROW(plan.correct(std::vector<std::complex<float>>(values + 1), noon),
                      std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(new_directions_count_from_their_spectrum_on)
{
    const observation obs = hill();
    const double rate = 1000;
    const auto time = started(rate);
    auto plan = plan_of(obs, {"zenith"});
    plan.describe(obs.center_frequency, {});
    const auto settings = beam_directions(obs).settings({"az=70,el=40"}, {}, {});
    // The middle of spectrum 250 is at 250.5 ms.
    plan.change(settings, noon.plus_seconds(0.2505));
    BOOST_TEST(plan.next(time, 0, 100) == 100u);
    BOOST_TEST(plan.changed());
    BOOST_TEST(farthest(plan.weights(), plain_weights(obs, 0, 90)) < 1e-5);
    BOOST_TEST(plan.next(time, 100, 400) == 150u);
    BOOST_TEST(!plan.changed());
    BOOST_TEST(plan.next(time, 250, 250) == 250u);
    BOOST_TEST(plan.changed());
    BOOST_TEST(farthest(plan.weights(), plain_weights(obs, 70, 40)) < 1e-5);
    BOOST_TEST(plan.next(time, 500, 100) == 100u);
    BOOST_TEST(!plan.changed());
    plan.change(beam_directions(obs).settings({"zenith"}, {}, {}), epoch());
    BOOST_TEST(plan.next(time, 600, 100) == 100u);
    BOOST_TEST(plan.changed());
    BOOST_TEST(farthest(plan.weights(), plain_weights(obs, 0, 90)) < 1e-5);
    BOOST_CHECK_THROW(
        plan.change(beam_directions(obs).settings({"zenith", "zenith"}, {}, {}), epoch()),
        std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(wide_arrays_lose_some_of_a_beam)
{
    observation obs = hill();
    BOOST_TEST(plan_of(obs, {"az=90,el=10"}).smearing(noon).empty());
    // 30 km to the east are 98.6 us at an elevation of 10 degrees, 6 of the samples between
    // spectra; half of that is sinc(3.08) of the voltage: nothing is left.
    obs.antennas.clear();
    for (const double east : {0.0, 10.0, 20.0, 30.0, 30000.0}) {
        obs.add_antenna("", {east, 0, 0});
    }
    const auto sentence = plan_of(obs, {"az=90,el=10"}).smearing(noon);
    BOOST_TEST(sentence.find("98.5") != std::string::npos, sentence);
    obs.phase_center = phase_center::from_text("az=90,el=10");
    obs.tracking = true;
    BOOST_TEST(plan_of(obs, {"az=90,el=11"}).smearing(noon).empty());
}

BOOST_AUTO_TEST_CASE(fixed_directions_need_no_time)
{
    const observation obs = hill();
    auto fixed = plan_of(obs, {"zenith"});
    BOOST_TEST(fixed.next(array::timeline(), 0, 10) > 0u);
    BOOST_CHECK_THROW(plan_of(obs, {"120,35"}).next(array::timeline(), 0, 10),
                      std::runtime_error);
}
