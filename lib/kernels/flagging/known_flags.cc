/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/known_flags.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/fringe/flags.h>

namespace gr::fringe::kernels {

known_flags::known_flags(const std::vector<bool>& bad,
                         const std::vector<std::uint8_t>& masked,
                         double least_left)
    : d_least_left(static_cast<float>(least_left))
{
    for (std::size_t i = 0; i < bad.size(); ++i) {
        for (std::size_t j = i; j < bad.size(); ++j) {
            d_of_baseline.push_back(bad[i] || bad[j] ? bit(flag::bad_input) : 0);
        }
    }
    for (const std::uint8_t m : masked) {
        d_of_channel.push_back(m ? bit(flag::mask) : 0);
    }
}

void known_flags::add(const std::complex<float>* visibilities,
                      const float* weights,
                      bool masked,
                      std::uint8_t* flags) const
{
    const std::size_t baselines = d_of_baseline.size();
    for (std::size_t c = 0, k = 0; c < d_of_channel.size(); ++c) {
        const auto of_channel = masked ? bit(flag::mask) : d_of_channel[c];
        for (std::size_t b = 0; b < baselines; ++b, ++k) {
            const bool lost = !(weights[k] > 0) ||
                              !std::isfinite(visibilities[k].real()) ||
                              !std::isfinite(visibilities[k].imag());
            flags[k] |= of_channel | d_of_baseline[b] | (lost ? bit(flag::lost) : 0);
        }
    }
}

void known_flags::add_left_over(const float* weights, std::uint8_t* flags) const
{
    if (!(d_least_left > 0)) {
        return;
    }
    const std::size_t baselines = d_of_baseline.size(), channels = d_of_channel.size();
    std::vector<float> sorted(channels);
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(channels / 2);
    for (std::size_t b = 0; b < baselines; ++b) {
        for (std::size_t c = 0; c < channels; ++c) {
            sorted[c] = weights[c * baselines + b];
        }
        std::nth_element(sorted.begin(), middle, sorted.end());
        const float least = d_least_left * *middle;
        for (std::size_t c = 0; c < channels; ++c) {
            const float weight = weights[c * baselines + b];
            const bool little = weight > 0 && weight < least;
            flags[c * baselines + b] |= little ? bit(flag::kurtosis) : 0;
        }
    }
}

} // namespace gr::fringe::kernels
