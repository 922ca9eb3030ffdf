/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/prototype.h"
#include <cmath>

namespace gr::fringe::kernels {

namespace {

const double pi = std::acos(-1.0);

double sinc(double x) { return x == 0 ? 1.0 : std::sin(pi * x) / (pi * x); }

//! Modified Bessel function of the first kind, order 0 (its power series).
double bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

const double kaiser_beta = 8.6;

struct window_shape {
    const char* name;
    double (*at)(double u); //!< u: 0 in the middle, 1 at the first and the last sample
};

// The table: a new window is a line here.
const window_shape windows[] = {
    {"rectangular", [](double) { return 1.0; }},
    {"hann", [](double u) { return 0.5 + 0.5 * std::cos(pi * u); }},
    {"hamming", [](double u) { return 0.54 + 0.46 * std::cos(pi * u); }},
    {"blackman",
     [](double u) {
         return 0.42 + 0.5 * std::cos(pi * u) + 0.08 * std::cos(2 * pi * u);
     }},
    {"kaiser",
     [](double u) {
         return bessel_i0(kaiser_beta * std::sqrt(1 - u * u)) / bessel_i0(kaiser_beta);
     }},
};

const window_shape& window_by_name(const std::string& name)
{
    for (const auto& window : windows)
        if (name == window.name)
            return window;
    throw std::invalid_argument("channelizer: window \"" + name +
                                "\" is not known; it must be " + window_choices());
}

} // namespace

const std::vector<std::string>& window_names()
{
    static const auto names = [] {
        std::vector<std::string> all;
        for (const auto& window : windows)
            all.push_back(window.name);
        return all;
    }();
    return names;
}

std::string window_choices()
{
    const auto& names = window_names();
    std::string sentence = names.front();
    for (std::size_t k = 1; k < names.size(); k++)
        sentence += (k + 1 < names.size() ? ", " : " or ") + names[k];
    return sentence;
}

std::vector<double>
prototype(std::size_t points, unsigned taps, const std::string& window)
{
    if (points < 1) {
        throw std::invalid_argument(
            "channelizer: a transform of 0 points; it must be at least 1");
    }
    if (taps < 1 || taps > max_taps) {
        throw std::invalid_argument("channelizer: taps is " + std::to_string(taps) +
                                    "; it must be 1 to " + std::to_string(max_taps));
    }
    const auto& shape = window_by_name(window);
    const std::size_t length = points * taps;
    const double middle = 0.5 * static_cast<double>(length - 1);
    std::vector<double> h(length);
    double power = 0;
    for (std::size_t n = 0; n < length; n++) {
        // Distances from the middle are the same on both sides to the last bit, and so
        // are the coefficients.
        const double distance = std::abs(static_cast<double>(n) - middle);
        h[n] = shape.at(length > 1 ? distance / middle : 0);
        if (taps > 1) {
            h[n] *= sinc(distance / static_cast<double>(points));
        }
        power += h[n] * h[n];
    }
    if (power < 1e-12) {
        throw std::invalid_argument("channelizer: a " + window + " window over " +
                                    std::to_string(length) +
                                    " samples is zero everywhere; take more channels or "
                                    "taps, or the rectangular window");
    }
    const double g = std::sqrt(static_cast<double>(points) / power);
    for (auto& value : h) {
        value *= g;
    }
    return h;
}

} // namespace gr::fringe::kernels
