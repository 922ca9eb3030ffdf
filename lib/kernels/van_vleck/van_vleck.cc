/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/van_vleck/van_vleck.h"
#include "kernels/base/require.h"
#include "kernels/channelizer/prototype.h"
#include "kernels/unpack/bit_levels.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

constexpr double outer_level = bit_levels::level<2, float>(3);
constexpr double threshold = (1 + outer_level) / 2; // Max, IRE Trans. IT-6, 7, 1960
constexpr double lowest_taper = 0.2;

const van_vleck_params& checked(const van_vleck_params& p)
{
    require("van_vleck", p.inputs > 0, "inputs 0; must be at least 1");
    require("van_vleck",
            p.channels > 1,
            "channels " + std::to_string(p.channels) + "; lags need 2 or more");
    require("van_vleck",
            p.bits == 1 || p.bits == 2,
            "bits " + std::to_string(p.bits) + "; must be 1 or 2");
    return p;
}

// a(n) of lag n and, negative, N - n. The taper of a window that is short in time is that
// of the far lags too, which fold onto the near ones.
std::vector<double> taper(const van_vleck_params& p, std::size_t points)
{
    const std::vector<double> h = prototype(points, p.taps, p.window);
    std::vector<double> a(points);
    for (std::size_t n = 0; n <= points / 2; ++n) {
        double sum = 0;
        for (std::size_t m = 0; m + n < h.size(); ++m) {
            sum += h[m] * h[m + n];
        }
        a[n] = sum / static_cast<double>(points);
        a[(points - n) % points] = a[n];
    }
    return a;
}

} // namespace

van_vleck::van_vleck(const van_vleck_params& p)
    : d_p(checked(p)),
      d_points(p.complex_samples ? p.channels : 2 * p.channels),
      d_transform(d_points),
      d_taper(taper(p, d_points)),
      d_one_bit(one_bit_quantizer(), one_bit_quantizer()),
      d_spectrum(d_points),
      d_inputs(p.inputs)
{
}

van_vleck::~van_vleck() = default;

// The transform's bin of a channel.
std::size_t van_vleck::bin(std::size_t channel) const
{
    return d_p.complex_samples ? (channel + d_points - d_points / 2) % d_points : channel;
}

void van_vleck::gather(const std::complex<float>* v, std::size_t baseline)
{
    const std::size_t row = baselines(d_p.inputs);
    for (std::size_t c = 0; c < d_p.channels; ++c) {
        const std::complex<double> value(v[c * row + baseline]);
        d_spectrum[bin(c)] = value;
        if (!d_p.complex_samples && c > 0) {
            d_spectrum[d_points - c] = std::conj(value);
        }
    }
    if (!d_p.complex_samples) {
        d_spectrum[0] = d_spectrum[0].real();
        d_spectrum[d_p.channels] = d_spectrum[d_p.channels - 1].real();
    }
}

void van_vleck::scatter(std::complex<float>* v, std::size_t baseline)
{
    const std::size_t row = baselines(d_p.inputs);
    for (std::size_t c = 0; c < d_p.channels; ++c) {
        v[c * row + baseline] = std::complex<float>(d_spectrum[bin(c)]);
    }
}

// R(n) a(n), by the forward transform of the conjugate.
void van_vleck::to_lags()
{
    for (auto& x : d_spectrum) {
        x = std::conj(x);
    }
    d_transform.run(d_spectrum.data());
    for (auto& x : d_spectrum) {
        x = std::conj(x) / static_cast<double>(d_points);
    }
}

van_vleck::statistics van_vleck::statistics_of(double power) const
{
    // A complex sample has the power of both parts.
    const double part = d_p.complex_samples ? power / 2 : power;
    statistics s;
    if (d_p.bits == 1) {
        s.good = part > 0;
        s.scale = part;
        s.sigma = std::sqrt(std::max(part, 0.0));
        s.steps = one_bit_quantizer();
    } else if (part > 1 && part < outer_level * outer_level) {
        const double t = two_bit_threshold(outer_level, part);
        s.good = t > 0.01;
        s.scale = 1;
        s.sigma = threshold / t;
        s.steps = two_bit_quantizer(outer_level, t);
    }
    return s;
}

void van_vleck::correct_lags(const statistics& x, const statistics& y)
{
    const correlation_curve& curve =
        d_p.bits == 1 ? d_one_bit : correlation_curve(x.steps, y.steps);
    const double down = 1 / std::sqrt(x.scale * y.scale), up = x.sigma * y.sigma;
    const double slope = curve.correlation(1e-6) * 1e6;
    const double parts = d_p.complex_samples ? 2 : 1;
    const auto straight = [&](double value, double a) {
        const double q = value * down / parts;
        return parts * up * (a < lowest_taper ? q * slope : a * curve.correlation(q / a));
    };
    for (std::size_t n = 0; n < d_points; ++n) {
        const std::complex<double> r = d_spectrum[n];
        d_spectrum[n] = {straight(r.real(), d_taper[n]),
                         d_p.complex_samples ? straight(r.imag(), d_taper[n]) : 0.0};
    }
}

void van_vleck::correct(std::complex<float>* visibilities)
{
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        gather(visibilities, baseline_index(i, i, d_p.inputs));
        double sum = 0;
        for (const auto& x : d_spectrum) {
            sum += x.real();
        }
        d_inputs[i] = statistics_of(sum / static_cast<double>(d_points));
    }
    for (std::size_t i = 0; i < d_p.inputs; ++i) {
        for (std::size_t j = i; j < d_p.inputs; ++j) {
            if (!d_inputs[i].good || !d_inputs[j].good) {
                continue;
            }
            const std::size_t baseline = baseline_index(i, j, d_p.inputs);
            gather(visibilities, baseline);
            to_lags();
            correct_lags(d_inputs[i], d_inputs[j]);
            d_transform.run(d_spectrum.data());
            scatter(visibilities, baseline);
        }
    }
}

} // namespace gr::fringe::kernels
