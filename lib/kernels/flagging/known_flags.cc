/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/flagging/known_flags.h"
#include <cmath>
#include <gnuradio/fringe/flags.h>

namespace gr::fringe::kernels {

known_flags::known_flags(const std::vector<bool>& bad,
                         const std::vector<std::uint8_t>& masked)
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

} // namespace gr::fringe::kernels
