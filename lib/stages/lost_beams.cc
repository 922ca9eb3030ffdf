/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/lost_beams.h"
#include <algorithm>

namespace gr::fringe {

namespace {

// [input]: the beam hears it in some channel.
std::vector<char>
heard_inputs(const std::complex<float>* weights, std::size_t count, std::size_t inputs)
{
    std::vector<char> heard(inputs);
    for (std::size_t n = 0; n < count; ++n) {
        heard[n % inputs] = heard[n % inputs] || weights[n] != 0.0f;
    }
    return heard;
}

} // namespace

std::vector<invalid_run> lost_beams(const std::vector<invalid_run>& invalid,
                                    std::uint64_t spectra,
                                    const std::vector<std::complex<float>>& weights,
                                    std::size_t beams,
                                    std::size_t inputs)
{
    std::vector<invalid_run> lost;
    if (invalid.empty()) {
        return lost;
    }
    std::vector<std::vector<char>> bad(inputs, std::vector<char>(spectra));
    for (const invalid_run& r : invalid) {
        const std::uint64_t end = std::min(r.first + r.count, spectra);
        for (std::uint64_t t = r.first; r.input < inputs && t < end; ++t) {
            bad[r.input][t] = 1;
        }
    }
    const std::size_t values = weights.size() / beams;
    for (std::size_t b = 0; b < beams; ++b) {
        const auto heard = heard_inputs(&weights[b * values], values, inputs);
        std::uint64_t run = 0;
        for (std::uint64_t t = 0; t <= spectra; ++t) {
            bool all = t < spectra;
            for (std::size_t i = 0; all && i < inputs; ++i) {
                all = !heard[i] || bad[i][t];
            }
            if (!all && run > 0) {
                lost.push_back({b, t - run, run});
            }
            run = all ? run + 1 : 0;
        }
    }
    return lost;
}

} // namespace gr::fringe
