/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/lost_beams.h"
#include "kernels/beamformer/beam_groups.h"
#include "stages/bad_spectra.h"

namespace gr::fringe {

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
    const bad_spectra bad(inputs, 0, spectra, invalid);
    const std::size_t values = weights.size() / beams;
    for (std::size_t b = 0; b < beams; ++b) {
        const auto heard =
            kernels::inputs_read(&weights[b * values], values / inputs, inputs);
        std::uint64_t run = 0;
        for (std::uint64_t t = 0; t <= spectra; ++t) {
            bool all = t < spectra;
            for (std::size_t i = 0; all && i < inputs; ++i) {
                all = !heard[i] || (bad.word(i, t / 64) >> t % 64 & 1);
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
