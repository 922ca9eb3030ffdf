/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What the deviations of many baselines together say about weak interference.

#include "kernels/flagging/power_sum.h"
#include "kernels/flagging/quantiles.h"
#include "kernels/flagging/rice.h"
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

using namespace gr::fringe::kernels;

namespace {

// |V|^(2/3) of a source and a signal of any phase in noise, as deviations.
struct deviations {
    deviations(float source, float signal, unsigned seed)
        : random(seed), source(source), signal(signal), rice(source)
    {
    }
    float operator()()
    {
        const float phase = turn(random);
        const float re = source + signal * std::cos(phase) + noise(random);
        const float im = signal * std::sin(phase) + noise(random);
        const double x = std::cbrt(re * re + im * im);
        return static_cast<float>((x - rice.median()) / rice.spread());
    }
    std::mt19937 random;
    std::normal_distribution<float> noise;
    std::uniform_real_distribution<float> turn{0, 6.2831853f};
    float source, signal;
    rice_distribution rice;
};

struct moments {
    double mean = 0, variance = 0, skewness = 0;
};
template <class Function>
moments of(const Function& draw, int n)
{
    std::vector<double> x(n);
    std::generate(x.begin(), x.end(), draw);
    moments m;
    for (double v : x) {
        m.mean += v / n;
    }
    for (double v : x) {
        m.variance += (v - m.mean) * (v - m.mean) / n;
    }
    for (double v : x) {
        m.skewness += std::pow((v - m.mean) / std::sqrt(m.variance), 3) / n;
    }
    return m;
}

double score_of(const power_score& s, double z)
{
    return std::min<double>(s.offset + z * (s.linear + s.square * z), s.maximum);
}

} // namespace

BOOST_AUTO_TEST_CASE(scores_of_noise_are_normalized)
{
    const power_scores scores;
    for (float source : {0.0f, 1.0f, 2.5f, 4.25f, 8.0f}) {
        deviations z(source, 0, 1);
        const power_score s = scores.of(z.rice.ratio());
        const moments m = of([&] { return score_of(s, z()); }, 200000);
        BOOST_TEST_CONTEXT("source " << source)
        {
            BOOST_CHECK_SMALL(m.mean, 0.02);
            BOOST_CHECK_CLOSE(m.variance, 1.0, 3.0);
            BOOST_CHECK_CLOSE(m.skewness, s.skewness, 6.0);
        }
    }
}

// The best that can be done is the root of the Fisher information, by Rao's bound; a signal
// of amplitude a adds a^2 / 2 to the noise power of 1.
BOOST_AUTO_TEST_CASE(weak_signals_stand_out_as_far_as_they_can)
{
    const power_scores scores;
    const float signal = 0.4f;
    for (float source : {0.0f, 1.0f, 2.0f, 4.0f, 8.0f}) {
        deviations with(source, signal, 2), without(source, 0, 2); // the same noise
        const double ratio = with.rice.ratio();
        const power_score s = scores.of(ratio);
        const int n = 400000;
        const double shift = of([&] { return score_of(s, with()); }, n).mean -
                             of([&] { return score_of(s, without()); }, n).mean;
        double information = 0, norm = 0;
        for (double a = 0.005; a < source + 9; a += 0.01) {
            const double p = with.rice.density(a);
            information += p * with.rice.score(a) * with.rice.score(a);
            norm += p;
        }
        const double best = 0.5 * signal * signal * std::sqrt(information / norm);
        BOOST_TEST_CONTEXT("source " << source)
        {
            BOOST_CHECK_GT(shift, 0.85 * best); // clipping, and not quite the score
            BOOST_CHECK_LT(shift, 1.1 * best);
        }
    }
}

BOOST_AUTO_TEST_CASE(sums_of_few_baselines_are_normal)
{
    const power_scores scores;
    for (int baselines : {10, 45}) {
        deviations z(4, 0, 4);
        const power_score s = scores.of(z.rice.ratio());
        const std::size_t cells = 400 * 256;
        power_sum sum;
        sum.clear(cells);
        flag_plane plane;
        plane.resize(400, 256);
        std::fill(plane.used.begin(), plane.used.end(), 1);
        for (int b = 0; b < baselines; ++b) {
            std::generate(plane.value.begin(), plane.value.end(), std::ref(z));
            sum.add(plane, s);
        }
        sum.to_plane(plane);
        for (double rate : {0.16, 1e-2, 1e-3}) {
            const auto limit = static_cast<float>(normal_quantile(rate));
            const auto above = std::count_if(plane.value.begin(),
                                             plane.value.end(),
                                             [&](float p) { return p > limit; });
            const double expected = rate * static_cast<double>(cells);
            BOOST_TEST_CONTEXT(baselines << " baselines, rate " << rate)
            BOOST_CHECK_SMALL(above - expected, 0.1 * expected + 3 * std::sqrt(expected));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_station_can_be_taken_out_of_the_array)
{
    flag_plane first, second;
    for (flag_plane* p : {&first, &second}) {
        p->resize(1, 3);
        std::fill(p->used.begin(), p->used.end(), 1);
    }
    first.value[0] = 2;
    first.value[1] = -2;
    second.value[0] = 1;
    second.value[1] = 50; // counts for 3
    second.used[2] = 0;
    power_sum array, station;
    array.clear(3);
    station.clear(3);
    const power_score plain;
    array.add(first, plain);
    array.add(second, plain);
    station.add(first, plain);
    flag_plane out = first;
    array.to_plane(out);
    BOOST_CHECK_CLOSE(out.value[0], 3 / std::sqrt(2.0f), 0.5);
    BOOST_CHECK_CLOSE(out.value[1], 1 / std::sqrt(2.0f), 0.5);
    BOOST_CHECK_EQUAL(out.value[2], 0);
    first.found[0] = first.found[2] = 1;
    array.remove(station, first);
    array.to_plane(out);
    BOOST_CHECK_CLOSE(out.value[0], 1.0f, 0.5);
    BOOST_CHECK_CLOSE(out.value[1], 1 / std::sqrt(2.0f), 0.5);
    BOOST_CHECK_EQUAL(+out.used[2], 0); // nothing is left of it
}
