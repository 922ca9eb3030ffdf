/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_WINDOW_DECISIONS_H
#define INCLUDED_FRINGE_BLOCKS_WINDOW_DECISIONS_H

#include "blocks/rfi/cell_occupancy.h"
#include "stages/window_search.h"
#include <optional>

namespace gr::fringe {

//! Decides on every cell of a window, counts what was flagged, and makes the message that
//! says so.
class window_decisions
{
public:
    //! `period`: seconds of data between messages.
    window_decisions(const kernels::detector_params& p, double period);

    //! Returns the causes [channel][input] of a window with the sums of powers s1, s2;
    //! `start` of its first spectrum, `rate` spectra a second.
    const std::vector<std::uint8_t>& decide(const float* s1,
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
    std::optional<epoch> d_unreported; // start of what no message has reported
    double d_rate = 1;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_WINDOW_DECISIONS_H */
