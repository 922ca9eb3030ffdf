/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H
#define INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H

#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/window_decisions.h"
#include "kernels/channelizer/channelizer.h"

namespace gr {
namespace fringe {

/*!
 * Judges windows of the spectra that a channelizer makes by the sums of powers that it
 * keeps. A verdict goes with the item behind the window, in the tag `judged`: the cells of
 * all spectra since the last verdict that are no noise.
 */
class spectra_judge
{
public:
    spectra_judge(const kurtosis_search& search,
                  std::size_t inputs,
                  std::size_t channels,
                  std::size_t block_spectra);

    //! A run begins: its first item says that verdicts will come.
    void announce();
    //! Counts spectra that come next, some of them lost; which, as the kernel wants it.
    kernels::valid_spectra count(const std::vector<invalid_run>& lost,
                                 std::size_t spectra);
    //! The window has all its spectra.
    bool complete() const { return d_now.spectra >= d_window; }
    //! Ends the window, if it has any spectra: they began at `start` and are `rate` a
    //! second.
    void end_window(kernels::channelizer& sums, const epoch& start, double rate);
    //! The tag of the next item, null for none: what has not been said yet.
    pmt::pmt_t verdict();
    //! See window_decisions.
    pmt::pmt_t message(bool at_the_end) { return d_judge.message(at_the_end); }

    std::size_t window() const { return d_window; }
    const cell_occupancy& occupancy() const { return d_judge.occupancy(); }

private:
    const std::size_t d_block_spectra, d_window;
    const bool d_drop;
    window_decisions d_judge;
    std::vector<char> d_ok; // [input][spectrum of an item]
    counted_spectra d_now;  // the window under way
    std::vector<float> d_s1, d_s2;
    pmt::pmt_t d_verdict;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H */
