/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SHARED_DECISIONS_H
#define INCLUDED_FRINGE_BLOCKS_SHARED_DECISIONS_H

#include "blocks/rfi/window_decisions.h"
#include <gnuradio/thread/thread.h>
#include <map>
#include <vector>

namespace gr::fringe {

//! Writes what share of the inputs is flagged in each channel.
void write_fractions(const std::vector<std::uint8_t>& causes,
                     std::size_t inputs,
                     float* out);

/*!
 * Decisions on windows whose powers are added up in several places, the GPUs that have some
 * channels each. The detectors look at all channels together, so whoever brings the last
 * part of a window decides for all, and the flags are those of one flagger for all channels.
 *
 * A flagger waits here for the other parts of its window. None can wait for ever: the one
 * that is behind all others finds their parts.
 */
class shared_decisions
{
public:
    //! `p` is of all channels; `channels` of each part.
    shared_decisions(const kernels::detector_params& p,
                     double period,
                     const std::vector<std::size_t>& channels);

    //! A part begins to run, from its first window on.
    void enter(std::size_t part);
    //! A part ends: it brings no more windows.
    void leave(std::size_t part);
    //! Takes the powers of the next window of a part, and returns its causes
    //! [channel][input] when all parts are there. Throws std::runtime_error when a part has
    //! left that this window needs.
    const std::vector<std::uint8_t>& decide(std::size_t part,
                                            const float* s1,
                                            const float* s2,
                                            const counted_spectra& count,
                                            const epoch& start,
                                            double rate);
    //! See window_decisions::message(); parts other than the first have none.
    pmt::pmt_t message(std::size_t part, bool at_the_end);
    const cell_occupancy& occupancy() const { return d_decisions.occupancy(); }

private:
    struct window {
        std::vector<float> s1, s2;
        std::vector<std::uint8_t> causes; // empty: not decided yet
        std::size_t brought = 0, taken = 0;
    };
    struct place {
        std::size_t first, cells;           // of a part
        std::uint64_t next = 0;             // window that it brings
        bool left = true;                   // and brings no more
        std::vector<std::uint8_t> causes{}; // that it took last
    };
    bool any_left(std::uint64_t window) const;

    window_decisions d_decisions;
    std::size_t d_cells = 0;
    std::vector<place> d_parts;
    std::map<std::uint64_t, window> d_windows;
    gr::thread::mutex d_mutex;
    gr::thread::condition_variable d_changed;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SHARED_DECISIONS_H */
