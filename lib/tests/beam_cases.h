/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_BEAM_CASES_H
#define INCLUDED_FRINGE_TESTS_BEAM_CASES_H

#include "kernel_cases.h"
#include "kernels/beamformer/beamformer.h"

// Random weights and spectra of a beamformer.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! Weights [beam][channel][input] of unit power; every other beam leaves out some inputs, as
//! beams of one polarization do.
inline std::vector<std::complex<float>> random_weights(const beamformer_params& p)
{
    const std::size_t count = p.beams * p.channels * p.inputs;
    const auto values = random_components(component::f32, 2 * count);
    std::vector<std::complex<float>> weights(count);
    std::memcpy(static_cast<void*>(weights.data()), values.data(), values.size());
    for (std::size_t n = 0; n < count; n++) {
        weights[n] *= std::sqrt(0.5f);
        const std::size_t beam = n / (p.channels * p.inputs), i = n % p.inputs;
        if (beam % 2 == 1 && i % 3 == beam % 3) {
            weights[n] = 0;
        }
    }
    return weights;
}

//! Turns of inputs that weights read, and factors of unit power.
inline beam_steering random_steering(const beamformer_params& p,
                                     const std::vector<std::complex<float>>& weights)
{
    beam_steering towards;
    towards.inputs = p.inputs;
    auto one_beam = p;
    one_beam.beams = 1;
    towards.factors = random_weights(one_beam);
    std::uniform_real_distribution<double> turns(-20, 20), slope(-0.5, 0.5);
    for (std::size_t n = 0; n < p.beams * p.inputs; n++) {
        const std::size_t first = n / p.inputs * p.channels * p.inputs + n % p.inputs;
        towards.turns.push_back(weights[first] == 0.0f ? std::nan("")
                                                       : turns(random_engine()));
        towards.slopes.push_back(slope(random_engine()));
    }
    return towards;
}

//! Spectra [channel][input][time], poison outside first ... first + count - 1.
inline bytes
random_spectra(const beamformer_params& p, std::size_t first, std::size_t count)
{
    const std::size_t rows = p.channels * p.inputs, row = 2 * p.block_spectra;
    const std::size_t width = component_bytes(p.in);
    auto in = random_components(p.in, rows * row);
    for (std::size_t r = 0; r < rows; r++) {
        const auto at = in.data() + r * row * width;
        std::memset(at, poison, 2 * first * width);
        std::memset(at + 2 * (first + count) * width,
                    poison,
                    (row - 2 * (first + count)) * width);
    }
    return in;
}

//! Checks that blocks of beams are poison outside first ... first + count - 1 and behind their
//! end, and makes it zero there.
inline void take_out_poison(const beamformer_params& p,
                            std::size_t first,
                            std::size_t count,
                            std::vector<float>& expected,
                            std::vector<float>& got)
{
    bool untouched = true;
    for (std::size_t n = 0; n < got.size(); n++) {
        const std::size_t t = n / 2 % p.block_spectra;
        const bool inside = n < 2 * p.channels * p.beams * p.block_spectra &&
                            t >= first && t < first + count;
        if (!inside) {
            untouched = untouched && std::isnan(got[n]) && std::isnan(expected[n]);
            expected[n] = got[n] = 0;
        }
    }
    BOOST_TEST(untouched);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_BEAM_CASES_H */
