/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SPECTRA_DETECTOR_H
#define INCLUDED_FRINGE_BLOCKS_SPECTRA_DETECTOR_H

#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/window_decisions.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/kurtosis/kurtosis.h"

namespace gr::fringe {

/*!
 * Searches windows of the spectra that a channelizer sends for interference. A decision goes
 * with the item behind the window, in the tag `decision`: the cells of all spectra since the last
 * decision that hold interference.
 */
class spectra_detector
{
public:
    spectra_detector(const kurtosis_search& search,
                     const kernels::compute_target& backend,
                     const kernels::channelizer_params& p);

    //! The next spectra are the first ones of a run or behind a gap: their window lacks
    //! `missing` spectra, see window_spectra().
    void begin() { d_missing_now = d_missing; }
    //! Called at the start of a run: the tag on its first item says that decisions follow.
    void announce();
    //! Spectra have this layout from now on.
    void set_layout(kernels::spectra_layout layout);
    //! Takes the spectra of the next item, some of them lost: those are zeros there.
    void add(const void* item, std::size_t spectra, const std::vector<invalid_run>& lost);
    //! Returns whether the window has all its spectra.
    bool complete() const { return d_now.spectra + d_missing_now >= d_window; }
    //! Ends the window, if it has any spectra: they began at `start` and are `rate` a
    //! second.
    void end_window(const epoch& start, double rate);
    //! Returns the value of the next item's tag `decision`, null where it has none. Each
    //! decision is returned once.
    pmt::pmt_t decision();
    //! See window_decisions.
    pmt::pmt_t message(bool at_the_end) { return d_decisions.message(at_the_end); }

    std::size_t window() const { return d_window; }
    const cell_occupancy& occupancy() const { return d_decisions.occupancy(); }

private:
    const kernels::compute_target d_backend;
    kernels::kurtosis_params d_p;
    std::unique_ptr<kernels::kurtosis> d_sums;
    const std::size_t d_window, d_missing;
    std::size_t d_missing_now; // of the window under way
    const bool d_drop;
    window_decisions d_decisions;
    counted_spectra d_now; // the window under way
    std::vector<float> d_s1, d_s2;
    pmt::pmt_t d_decision;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SPECTRA_DETECTOR_H */
