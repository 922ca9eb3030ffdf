/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CELL_JUDGE_H
#define INCLUDED_FRINGE_BLOCKS_CELL_JUDGE_H

#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/cell_occupancy.h"
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

//! Spectra that are judged together.
struct counted_spectra {
    std::uint64_t spectra = 0;
    std::vector<std::uint32_t> valid; //!< [input]

    //! Counts spectra of an item of at most `block_spectra`, some of them lost. Where
    //! some are, `ok` becomes [input][block_spectra], 0 = lost. False: none is.
    bool add(const std::vector<invalid_run>& lost,
             std::size_t count,
             std::size_t block_spectra,
             std::vector<char>& ok);
};

/*!
 * The verdict on every cell of a window, the counts of what was flagged, and the message
 * that tells of them.
 */
class cell_judge
{
public:
    //! `period`: seconds of data between messages.
    cell_judge(const kernels::detector_params& p, double period);

    //! Causes [channel][input] of a window with the sums of powers s1, s2; `start` of its
    //! first spectrum, `rate` spectra a second.
    const std::vector<std::uint8_t>& judge(const float* s1,
                                           const float* s2,
                                           const counted_spectra& window,
                                           const epoch& start,
                                           double rate);
    //! The message, null unless it is time for one, or there is anything left at the end.
    pmt::pmt_t message(bool at_the_end);

    const cell_occupancy& occupancy() const { return d_occupancy; }

private:
    const double d_period;
    kernels::detector d_detector;
    cell_occupancy d_occupancy;
    std::optional<epoch> d_untold; // start of what no message has told of
    double d_rate = 1;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_CELL_JUDGE_H */
