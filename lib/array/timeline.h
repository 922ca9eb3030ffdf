/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_TIMELINE_H
#define INCLUDED_FRINGE_ARRAY_TIMELINE_H

#include <cstdint>
#include <gnuradio/fringe/epoch.h>

namespace gr::fringe::array {

//! When a stream begins, or goes on.
struct beginning {
    epoch time;
    double rate; //!< steps a second
};

/*!
 * The time axis of a stream: a counter of samples (or spectra) and the instant it stands
 * for.
 *
 * The counter starts at 0 and goes on through gaps: a new start time moves it on by the
 * time that was lost, so that a loss is never a shift.
 */
class FRINGE_API timeline
{
public:
    //! The stream starts, or goes on after a gap, at `start` with `rate` steps a second.
    //! Returns the counter there. A start before what was already counted (a clock set back)
    //! or another rate start a new axis that goes on counting at `next`: nothing that
    //! belongs together reaches across, see is_new_axis().
    std::uint64_t begin(const epoch& start, double rate, std::uint64_t next);

    //! A begin() with these values would go on at step `next`, without a gap and on the same axis;
    //! true before the first one.
    bool continues(const epoch& start, double rate, std::uint64_t next) const;

    //! The last begin() started a new axis: time went back, by more than half a step, or the
    //! rate is another.
    bool is_new_axis() const { return d_new_axis; }
    bool started() const { return d_rate > 0; }
    double rate() const { return d_rate; }
    //! The instant at which step n begins.
    epoch at(std::uint64_t n) const;
    //! The instant half a step later.
    epoch middle(std::uint64_t n) const;

private:
    epoch d_base;
    std::uint64_t d_base_n = 0;
    double d_rate = 0;
    bool d_new_axis = false;
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_TIMELINE_H */
