/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/flagged_windows.h"
#include "stages/spectrum_parts.h"

namespace gr::fringe {

void flagged_windows::add(const std::vector<cell_run>& cells,
                          std::uint64_t spectra,
                          const std::vector<std::uint64_t>& lost)
{
    if (cells.empty() || spectra == 0) {
        return;
    }
    // The items of a window have the same cells.
    if (d_windows.empty() || !(d_windows.back().cells == cells)) {
        d_windows.push_back({cells, 0, {}});
    }
    kernels::flagged_spectra& window = d_windows.back();
    if (!lost.empty() && window.valid.empty()) {
        window.valid.assign(kernels::baselines(d_inputs), window.spectra);
    }
    window.spectra += spectra * spectrum_parts;
    for (std::size_t b = 0; b < window.valid.size(); ++b) {
        window.valid[b] += spectra * spectrum_parts - (lost.empty() ? 0 : lost[b]);
    }
}

} // namespace gr::fringe
