/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/workers.h"
#include "kernels/beamformer/beam_groups.h"
#include "kernels/beamformer/cuda/blocks.h"
#include <algorithm>
#include <map>

namespace gr::fringe::kernels {

namespace {

using beams = std::vector<std::size_t>;

//! `count` of them from number n on, as many as there are.
beams part_of(const beams& all, std::size_t n, std::size_t count)
{
    const auto at = [&](std::size_t k) {
        return all.begin() + static_cast<std::ptrdiff_t>(std::min(k, all.size()));
    };
    return {at(n), at(n + count)};
}

} // namespace

void beam_blocks::add_block(const beamformer_params& p,
                            const std::vector<char>* const (&reads)[2],
                            const beams (&of)[2])
{
    beam_block b{};
    for (unsigned h = 0; h < 2; h++) {
        if (h == 1 && reads[0] == reads[1]) {
            b.inputs[1] = b.inputs[0];
            b.counts[1] = b.counts[0];
        } else {
            b.inputs[h] = static_cast<std::uint32_t>(lists.size());
            for (std::size_t i = 0; i < p.inputs; i++) {
                if ((*reads[h])[i]) {
                    lists.push_back(static_cast<std::uint16_t>(i));
                }
            }
            b.counts[h] = static_cast<std::uint32_t>(lists.size() - b.inputs[h]);
        }
        for (unsigned s = 0; s < beam_block::half; s++) {
            b.beams[h * beam_block::half + s] =
                s < of[h].size() ? static_cast<std::int32_t>(of[h][s]) : -1;
        }
    }
    longest = std::max<std::size_t>(longest, b.counts[0] + (p.pairs ? b.counts[1] : 0));
    blocks.push_back(b);
}

beam_blocks::beam_blocks(const beamformer_params& p, const std::complex<float>* weights)
{
    const std::size_t step = p.pairs ? 2 : 1;
    std::vector<std::vector<char>> reads(p.beams);
    std::vector<char> any(p.inputs);
    std::map<std::vector<std::vector<char>>, beams> groups; // the first beams of pairs
    workers::shared()->run(p.beams, [&](std::size_t b, unsigned) {
        reads[b] =
            weights
                ? inputs_read(weights + b * p.channels * p.inputs, p.channels, p.inputs)
                : any;
    });
    for (std::size_t b = 0; b < p.beams; b++) {
        for (std::size_t i = 0; i < p.inputs; i++) {
            any[i] = any[i] || reads[b][i];
        }
        if (b % step == step - 1) {
            const auto last = reads.begin() + static_cast<std::ptrdiff_t>(b) + 1;
            groups[{last - static_cast<std::ptrdiff_t>(step), last}].push_back(b + 1 -
                                                                               step);
        }
    }
    for (std::size_t i = 0; i < p.inputs; i++) {
        if (any[i]) {
            read.push_back(static_cast<std::uint16_t>(i));
        }
    }
    constexpr std::size_t half = beam_block::half;
    for (const auto& [sets, firsts] : groups) {
        for (std::size_t n = 0; n < firsts.size(); n += p.pairs ? half : 2 * half) {
            beams of[2] = {part_of(firsts, n, half), part_of(firsts, n + half, half)};
            if (p.pairs) {
                of[1] = of[0];
                std::for_each(of[1].begin(), of[1].end(), [](std::size_t& b) { b++; });
            }
            add_block(p, {&sets.front(), &sets.back()}, of);
        }
    }
}

} // namespace gr::fringe::kernels
