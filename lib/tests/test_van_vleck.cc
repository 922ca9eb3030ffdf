/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Correlations of quantized noise: the curve against an integral, the dumps against lags.
#include "kernels/channelizer/prototype.h"
#include "kernels/van_vleck/van_vleck.h"
#include "test_seed.h"
#include <boost/test/unit_test.hpp>
#include <random>

using namespace gr::fringe::kernels;

namespace {

constexpr double outer = 3.3359f;

// Mean product of two quantized signals, integrated over one of them.
double integral(const quantizer& x, const quantizer& y, double r)
{
    double lowest_x = 0, lowest_y = 0;
    for (const auto& a : x) {
        lowest_x -= a.rise / 2;
    }
    for (const auto& b : y) {
        lowest_y -= b.rise / 2;
    }
    std::vector<double> edges{-10};
    for (const auto& a : x) {
        edges.push_back(a.at);
    }
    edges.push_back(10);
    double sum = 0, level = lowest_x;
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
        const int points = 20000;
        const double step = (edges[k + 1] - edges[k]) / points;
        for (int n = 0; n < points; ++n) {
            const double u = edges[k] + (n + 0.5) * step;
            double mean = lowest_y;
            for (const auto& b : y) {
                mean +=
                    b.rise / 2 * std::erfc((b.at - r * u) / std::sqrt(2 * (1 - r * r)));
            }
            sum += level * mean * std::exp(-u * u / 2) / std::sqrt(2 * M_PI) * step;
        }
        level += k < x.size() ? x[k].rise : 0;
    }
    return sum;
}

std::mt19937_64& random_numbers()
{
    static std::mt19937_64 engine = [] { return std::mt19937_64(test_seed()); }();
    return engine;
}

double uniform(double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random_numbers());
}

// The lags that a channelizer makes of true or quantized correlations, and its channels.
struct signals {
    signals(const van_vleck_params& params, double part_power)
        : p(params), points(p.complex_samples ? p.channels : 2 * p.channels)
    {
        h = prototype(points, p.taps, p.window);
        quantized_power = p.bits == 1 ? 1 : two_bit_power(outer, part_power);
        sigma = p.bits == 1 ? 1 : (1 + outer) / 2 / part_power;
        const quantizer q =
            p.bits == 1 ? one_bit_quantizer() : two_bit_quantizer(outer, part_power);
        curve = std::make_unique<correlation_curve>(q, q);
    }

    double taper(std::size_t n) const
    {
        double sum = 0;
        for (std::size_t m = 0; m + n < h.size(); ++m) {
            sum += h[m] * h[m + n];
        }
        return sum / static_cast<double>(points);
    }

    // Channels of a product whose true correlation at lag n is r(n), 0 beyond `reach`.
    template <class Lags>
    std::vector<std::complex<double>>
    channels(const Lags& r, int reach, bool quantize) const
    {
        const double parts = p.complex_samples ? 2 : 1;
        std::vector<std::complex<double>> v(p.channels);
        for (int n = -reach; n <= reach; ++n) {
            const std::complex<double> rho = r(n);
            const std::complex<double> value =
                taper(static_cast<std::size_t>(std::abs(n))) * parts *
                (quantize ? std::complex<double>(curve->quantized(rho.real()),
                                                 curve->quantized(rho.imag()))
                          : rho * sigma * sigma);
            for (std::size_t c = 0; c < p.channels; ++c) {
                const double k =
                    p.complex_samples
                        ? static_cast<double>(c) - static_cast<double>(p.channels / 2)
                        : static_cast<double>(c);
                v[c] += value *
                        std::polar(1.0, -2 * M_PI * k * n / static_cast<double>(points));
            }
        }
        return v;
    }

    van_vleck_params p;
    std::size_t points;
    std::vector<double> h;
    double quantized_power, sigma;
    std::unique_ptr<correlation_curve> curve;
};

} // namespace

BOOST_AUTO_TEST_CASE(one_bit_is_the_arc_sine)
{
    const correlation_curve curve(one_bit_quantizer(), one_bit_quantizer());
    for (double r = -1; r <= 1; r += 1.0 / 64) {
        BOOST_TEST(std::abs(curve.quantized(r) - 2 / M_PI * std::asin(r)) < 1e-14);
        BOOST_TEST(std::abs(curve.correlation(2 / M_PI * std::asin(r)) - r) < 1e-12);
    }
    BOOST_TEST(curve.correlation(1.2) == 1);
    BOOST_TEST(curve.correlation(-1.2) == -1);
}

BOOST_AUTO_TEST_CASE(two_bits_equal_the_integral)
{
    for (int trial = 0; trial < 6; ++trial) {
        const double tx = uniform(0.3, 2), ty = trial % 2 ? uniform(0.3, 2) : tx;
        const quantizer x = two_bit_quantizer(outer, tx),
                        y = two_bit_quantizer(outer, ty);
        const correlation_curve curve(x, y);
        for (const double r : {-0.9, -0.3, 0.01, 0.5, 0.8, 0.95, 0.99}) {
            const double want = integral(x, y, r);
            BOOST_TEST_CONTEXT("thresholds " << tx << " " << ty << ", r " << r)
            {
                BOOST_TEST(std::abs(curve.quantized(r) - want) < 1e-6);
                BOOST_TEST(std::abs(curve.correlation(want) - r) < 2e-6);
            }
        }
        BOOST_TEST(std::abs(curve.correlation(curve.quantized(1e-5)) / 1e-5 - 1) < 1e-9);
    }
}

BOOST_AUTO_TEST_CASE(power_and_threshold)
{
    // Max's optimum: thresholds at 0.98160 sigma, 88.25 % of the power.
    BOOST_TEST(
        std::abs(two_bit_power(outer, 0.98160) / std::pow((1 + outer) / 2 / 0.98160, 2) -
                 0.8825) < 2e-4);
    for (const double t : {0.05, 0.5, 0.9816, 2.0, 4.0}) {
        BOOST_TEST(std::abs(two_bit_threshold(outer, two_bit_power(outer, t)) - t) <
                   1e-8);
    }
    BOOST_CHECK_THROW(two_bit_threshold(outer, 0.9), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(dumps_become_those_of_the_true_lags)
{
    for (const unsigned bits : {1u, 2u}) {
        for (const auto& [taps, window] :
             {std::pair<unsigned, const char*>{1, "rectangular"}, {4, "hann"}}) {
            for (const std::size_t channels : {32u, 45u}) {
                for (const bool complex_samples : {true, false}) {
                    const van_vleck_params p{
                        3, channels, complex_samples, bits, taps, window};
                    const signals s(p, 0.9816);
                    // Autocorrelations with a short memory, and a cross-correlation.
                    const double strong = uniform(0.3, 0.95), phase = uniform(-3, 3);
                    const auto own = [&](int n) {
                        return std::complex<double>(std::pow(0.3, std::abs(n)));
                    };
                    const auto both = [&](int n) {
                        const auto z =
                            std::polar(strong * std::pow(0.3, std::abs(n)), phase);
                        return complex_samples ? z : std::complex<double>(z.real());
                    };
                    const int reach = 5;
                    std::vector<std::complex<float>> dump(channels * 6);
                    std::vector<std::complex<double>> want(channels * 6);
                    for (const bool quantize : {true, false}) {
                        const auto a = s.channels(own, reach, quantize);
                        const auto v = s.channels(both, reach, quantize);
                        for (std::size_t c = 0; c < channels; ++c) {
                            for (const std::size_t b : {0u, 1u, 3u}) {
                                const auto value = b == 1 ? v[c] : a[c];
                                if (quantize) {
                                    dump[c * 6 + b] = std::complex<float>(value);
                                } else {
                                    want[c * 6 + b] = value;
                                }
                            }
                        }
                    }
                    van_vleck(p).correct(dump.data());
                    double worst = 0;
                    for (std::size_t k = 0; k < dump.size(); ++k) {
                        worst = std::max(
                            worst, std::abs(std::complex<double>(dump[k]) - want[k]));
                    }
                    BOOST_TEST_CONTEXT(bits << " bits, " << taps << " taps, " << channels
                                            << (complex_samples ? " complex" : " real"))
                    {
                        // Real samples lack a channel, which is guessed.
                        const double power =
                            complex_samples ? 2 * s.sigma * s.sigma : s.sigma * s.sigma;
                        BOOST_TEST(worst < (complex_samples ? 1e-5 : 1e-2) * power);
                        // The third input is silent.
                        BOOST_TEST(std::abs(dump[2]) == 0);
                        BOOST_TEST(std::abs(dump[5]) == 0);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(mistakes_are_refused)
{
    for (const auto& p : {van_vleck_params{0, 4, true, 1, 4, "hann"},
                          van_vleck_params{2, 1, true, 1, 4, "hann"},
                          van_vleck_params{2, 4, true, 3, 4, "hann"},
                          van_vleck_params{2, 4, true, 2, 0, "hann"},
                          van_vleck_params{2, 4, true, 2, 4, "square"}}) {
        BOOST_CHECK_THROW(van_vleck{p}, std::invalid_argument);
    }
}
