/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_LOST_COUNTS_H
#define INCLUDED_FRINGE_STAGES_LOST_COUNTS_H

#include "kernels/integrator/flagged_spectra.h"
#include "stages/invalid_run.h"
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe {

/*!
 * Spectra of a sum that were lost in some channels, on each baseline: those in which one of
 * both inputs was lost there, and none was invalid in all channels. In parts of a spectrum, see
 * spectrum_parts.
 */
class FRINGE_API lost_counts
{
public:
    explicit lost_counts(std::size_t inputs) : d_inputs(inputs) {}

    //! Counts spectra first ... first + count - 1 of an item that has lost these, and whose
    //! invalid runs are given.
    void add(const std::vector<lost_spectra>& lost,
             const std::vector<invalid_run>& invalid,
             std::uint64_t first,
             std::uint64_t count);
    void clear() { d_windows.clear(); }
    //! As the integrator leaves them out: some channels of all inputs each.
    const std::vector<kernels::flagged_spectra>& windows() const { return d_windows; }

private:
    std::vector<std::uint64_t>& counts_of(std::size_t channel, std::size_t channels);

    std::size_t d_inputs;
    std::vector<kernels::flagged_spectra> d_windows;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_LOST_COUNTS_H */
