/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/beam_nulls.h"
#include <cmath>
#include <utility>

namespace gr::fringe {

beam_nulls::beam_nulls(std::size_t channels, std::vector<std::vector<std::size_t>> inputs)
    : d_channels(channels),
      d_inputs(std::move(inputs)),
      d_basis(channels * d_inputs.size())
{
}

// The part of v that the basis of a cell does not span.
beam_nulls::vector& beam_nulls::orthogonal(std::size_t cell, vector& v) const
{
    for (const vector& e : d_basis[cell]) {
        std::complex<double> along;
        for (std::size_t i = 0; i < v.size(); ++i) {
            along += std::conj(e[i]) * v[i];
        }
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] -= along * e[i];
        }
    }
    return v;
}

void beam_nulls::add(const std::vector<std::complex<float>>& steering)
{
    d_all = steering.size() / d_channels;
    for (std::size_t cell = 0; cell < d_basis.size(); ++cell) {
        const auto& heard = d_inputs[cell / d_channels];
        vector v;
        for (const std::size_t i : heard) {
            v.push_back(steering[i * d_channels + cell % d_channels]);
        }
        // Twice: what rounding left of the first time is taken out, too.
        orthogonal(cell, orthogonal(cell, v));
        double power = 0;
        for (const auto& x : v) {
            power += std::norm(x);
        }
        if (power < 1e-6 * static_cast<double>(heard.size())) {
            continue;
        }
        for (auto& x : v) {
            x /= std::sqrt(power);
        }
        d_basis[cell].push_back(std::move(v));
    }
}

void beam_nulls::take_out(std::complex<float>* weights) const
{
    for (std::size_t cell = 0; d_all > 0 && cell < d_basis.size(); ++cell) {
        auto* const w = weights + cell * d_all;
        const auto& heard = d_inputs[cell / d_channels];
        vector v;
        for (const std::size_t i : heard) {
            v.push_back(w[i]);
        }
        orthogonal(cell, v);
        for (std::size_t n = 0; n < heard.size(); ++n) {
            w[heard[n]] = std::complex<float>(v[n]);
        }
    }
}

} // namespace gr::fringe
