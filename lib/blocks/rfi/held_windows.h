/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_HELD_WINDOWS_H
#define INCLUDED_FRINGE_BLOCKS_HELD_WINDOWS_H

#include "array/timeline.h"
#include "blocks/ports/stream_tags.h"
#include "stages/window_search.h"
#include <deque>

namespace gr::fringe {

//! Items of one window, whose cells are decided on together.
struct held_window {
    std::size_t items = 0;
    counted_spectra count;
    epoch start;     //!< of its first spectrum
    double rate = 1; //!< spectra a second
};

//! Which items that a kurtosis_flagger holds back belong to which window, and when those
//! began.
class held_windows
{
public:
    held_windows(std::size_t inputs, std::size_t block_spectra)
        : d_inputs(inputs), d_block_spectra(block_spectra)
    {
    }

    //! An item with these tags is behind a gap, or of another frequency: windows do not
    //! reach across.
    bool starts_anew(const item_tags& tags) const;
    //! The item belongs to the window under way; how many spectra it has.
    std::uint64_t add(const item_tags& tags);
    //! Ends the window under way.
    void end();

    //! Items of the window under way.
    std::size_t under_way() const { return d_now.items; }
    //! Items of all windows.
    std::size_t items() const;
    //! Windows that have ended and were not taken.
    bool any_ended() const { return !d_ended.empty(); }
    held_window take();
    //! Forgets windows, not the time.
    void clear();

private:
    const std::size_t d_inputs, d_block_spectra;
    array::timeline d_time;   // of spectra
    std::uint64_t d_next = 0; // next spectrum to come
    double d_freq = 0;        // Hz; 0 = not known
    held_window d_now;
    std::deque<held_window> d_ended;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_HELD_WINDOWS_H */
