/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/beamformer/beam_groups.h"
#include <algorithm>
#include <map>

namespace gr::fringe::kernels {

std::vector<char>
inputs_read(const std::complex<float>* weights, std::size_t channels, std::size_t inputs)
{
    std::vector<char> reads(inputs);
    for (std::size_t c = 0; c < channels; c++) {
        for (std::size_t i = 0; i < inputs; i++, weights++) {
            reads[i] = reads[i] || *weights != 0.0f;
        }
    }
    return reads;
}

void beam_groups::set(const std::complex<float>* weights)
{
    std::map<std::vector<char>, std::vector<std::size_t>> beams_of;
    for (std::size_t b = 0; b < d_p.beams; b++) {
        const auto* const first = weights + b * d_p.channels * d_p.inputs;
        beams_of[inputs_read(first, d_p.channels, d_p.inputs)].push_back(b);
    }
    std::vector<char> any(d_p.inputs);
    d_groups.clear();
    d_channel_values = 0;
    for (const auto& [reads, beams] : beams_of) {
        group g;
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            if (reads[i]) {
                any[i] = 1;
                g.offsets.push_back(static_cast<std::uint32_t>(i * beam_step));
            }
        }
        for (std::size_t n = 0; n < beams.size(); n += beams_at_once) {
            const auto from = beams.begin() + static_cast<std::ptrdiff_t>(n);
            const std::size_t some = std::min(beams_at_once, beams.size() - n);
            g.beams.assign(from, from + static_cast<std::ptrdiff_t>(some));
            g.width = some == 3 ? beams_at_once : some;
            g.at = d_channel_values;
            d_channel_values += g.offsets.size() * 2 * g.width;
            d_groups.push_back(g);
        }
    }
    d_inputs.clear();
    for (std::size_t i = 0; i < d_p.inputs; i++) {
        if (any[i]) {
            d_inputs.push_back(i);
        }
    }
    d_packed.assign(d_p.channels * d_channel_values, 0.0f);
    for (const group& g : d_groups) {
        for (std::size_t n = 0; n < g.beams.size(); n++) {
            for (std::size_t c = 0; c < d_p.channels; c++) {
                const auto* const row =
                    weights + (g.beams[n] * d_p.channels + c) * d_p.inputs;
                std::size_t to = c * d_channel_values + g.at + 2 * n;
                for (const std::uint32_t offset : g.offsets) {
                    const std::complex<float> w = row[offset / beam_step];
                    d_packed[to] = w.real();
                    d_packed[to + 1] = w.imag();
                    to += 2 * g.width;
                }
            }
        }
    }
}

} // namespace gr::fringe::kernels
