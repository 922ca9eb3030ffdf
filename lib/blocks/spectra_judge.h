/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H
#define INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H

#include "blocks/cell_occupancy.h"
#include "blocks/stream_tags.h"
#include "kernels/channelizer/channelizer.h"
#include "kernels/kurtosis/detector.h"
#include <gnuradio/fringe/kurtosis_search.h>
#include <optional>

namespace gr {
namespace fringe {

//! What a search asks of the detector. Throws std::invalid_argument naming block and
//! parameter.
kernels::detector_params detector_of(const std::string& block,
                                     const kurtosis_search& search,
                                     std::size_t inputs,
                                     std::size_t channels);

//! Cells with a cause, as runs.
std::vector<cell_run> runs_of(const std::vector<std::uint8_t>& causes);

//! Adds to `valid` [input] the spectra of an item of at most `block_spectra` that are not
//! lost. Where some are, `ok` becomes [input][block_spectra], 0 = lost. False: none is.
bool count_valid_spectra(const std::vector<invalid_run>& lost,
                         std::size_t spectra,
                         std::size_t block_spectra,
                         std::vector<char>& ok,
                         std::vector<std::uint32_t>& valid);

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

    //! Counts spectra that come next, some of them lost; which, as the kernel wants it.
    kernels::valid_spectra count(const std::vector<invalid_run>& lost,
                                 std::size_t spectra);
    //! The window has all its spectra.
    bool complete() const { return d_spectra >= d_window; }
    //! Ends the window, if it has any spectra: they began at `start` and are `rate` a
    //! second.
    void end_window(kernels::channelizer& sums, const epoch& start, double rate);
    //! The tag of the next item, null for none: what has not been said yet.
    pmt::pmt_t verdict();
    //! The message, null unless it is time for one, or there is anything left at the end.
    pmt::pmt_t message(bool at_the_end);

    std::size_t window() const { return d_window; }
    const cell_occupancy& occupancy() const { return d_occupancy; }

private:
    const kurtosis_search d_search;
    const std::size_t d_inputs, d_block_spectra, d_window;
    kernels::detector d_detector;
    cell_occupancy d_occupancy;
    std::vector<char> d_ok;             // [input][spectrum of an item]
    std::vector<std::uint32_t> d_valid; // [input], of the window under way
    std::uint64_t d_spectra = 0;        // of it
    std::vector<float> d_s1, d_s2;
    pmt::pmt_t d_verdict;
    std::optional<epoch> d_untold; // start of what no message has told of
    double d_untold_seconds = 0;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_SPECTRA_JUDGE_H */
