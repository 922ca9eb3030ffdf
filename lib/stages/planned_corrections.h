/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_PLANNED_CORRECTIONS_H
#define INCLUDED_FRINGE_STAGES_PLANNED_CORRECTIONS_H

#include <complex>
#include <deque>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <mutex>
#include <optional>
#include <vector>

namespace gr::fringe {

//! New corrections that wait for their time, several in the sequence of their times. They
//! are given by any thread and taken by the one that works.
class FRINGE_API planned_corrections
{
public:
    struct change {
        std::vector<std::complex<float>> factors; //!< [input * channels]
        epoch from; //!< the first spectrum in the middle of whose window they count
    };

    //! It takes the place of those that would have come at its time or later.
    void plan(change c);
    //! When the next change comes, nothing when none waits.
    std::optional<epoch> next() const;
    //! Takes it. Only after next() said that there is one.
    change take();

private:
    mutable std::mutex d_mutex;
    std::deque<change> d_changes;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_PLANNED_CORRECTIONS_H */
