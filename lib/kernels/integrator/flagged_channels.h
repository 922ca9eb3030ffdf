/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_CHANNELS_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_CHANNELS_H

#include "kernels/base/types.h"
#include <algorithm>

namespace gr::fringe::kernels {

/*!
 * Calls `use(channel, bad)` for every channel that has some of the cells, in order: `bad`
 * lists its flagged inputs, ascending.
 */
template <class Use>
void for_flagged_channels(const std::vector<cell_run>& cells,
                          std::size_t inputs,
                          std::size_t channels,
                          Use use)
{
    const std::size_t all = inputs * channels;
    std::vector<std::size_t> bad;
    std::size_t channel = 0;
    const auto end_channel = [&] {
        if (!bad.empty()) {
            use(channel, bad);
        }
        bad.clear();
    };
    for (const cell_run& r : cells) {
        const std::size_t end =
            std::min<std::size_t>(std::size_t(r.first) + r.count, all);
        for (std::size_t cell = r.first; cell < end; cell++) {
            if (cell / inputs != channel) {
                end_channel();
                channel = cell / inputs;
            }
            bad.push_back(cell % inputs);
        }
    }
    end_channel();
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_FLAGGED_CHANNELS_H */
