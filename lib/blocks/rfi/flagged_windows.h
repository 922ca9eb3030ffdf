/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FLAGGED_WINDOWS_H
#define INCLUDED_FRINGE_BLOCKS_FLAGGED_WINDOWS_H

#include "blocks/ports/stream_tags.h"

namespace gr::fringe {

/*!
 * Which cells were flagged in how many spectra of a sum. Baselines are the integrator's:
 * what is kept here, and sent, grows with the flagged cells alone.
 */
class flagged_windows
{
public:
    explicit flagged_windows(std::size_t inputs) : d_inputs(inputs) {}

    //! The cells were flagged in `spectra` more spectra. What of them is missing on a
    //! baseline in any case is `lost` [baseline], in parts of a spectrum, or empty.
    void add(const std::vector<cell_run>& cells,
             std::uint64_t spectra,
             const std::vector<std::uint64_t>& lost);
    void clear() { d_windows.clear(); }
    //! Their spectra are counted in parts, see spectrum_parts.
    const std::vector<kernels::flagged_spectra>& windows() const { return d_windows; }

private:
    std::size_t d_inputs;
    std::vector<kernels::flagged_spectra> d_windows;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_FLAGGED_WINDOWS_H */
