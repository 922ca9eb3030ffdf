/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SUBINTEGRATION_H
#define INCLUDED_FRINGE_BLOCKS_SUBINTEGRATION_H

#include "blocks/rfi/flagged_windows.h"
#include "stages/lost_counts.h"
#include "stages/valid_counts.h"
#include <gnuradio/fringe/epoch.h>
#include <optional>
#include <pmt/pmt.h>
#include <utility>
#include <vector>

namespace gr::fringe {

//! The metadata of a subintegration: a sum of the X-engine over a part of a dump.
struct subintegration {
    explicit subintegration(std::size_t inputs)
        : counts(inputs), lost(inputs), flagged(inputs)
    {
    }

    std::optional<epoch> start; //!< when it began, where times are known
    double rate = 0;            //!< spectra a second
    double freq = 0;            //!< of the middle of the band
    std::vector<float> gains;   //!< what its spectra were multiplied by
    valid_counts counts;
    lost_counts lost;        //!< spectra that were lost in some channels
    flagged_windows flagged; //!< spectra in which cells were zero

    //! Returns the tags of its first item: keys and values.
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> tags() const;
    //! Flags cells that were left out of all its spectra.
    void flag(const std::vector<cell_run>& cells);
    void clear()
    {
        counts.clear();
        lost.clear();
        flagged.clear();
    }
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SUBINTEGRATION_H */
