/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_HELD_DUMPS_H
#define INCLUDED_FRINGE_BLOCKS_HELD_DUMPS_H

#include "kernels/flagging/rfi_detector.h"
#include <deque>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/tags.h>
#include <memory>
#include <vector>

namespace gr::fringe {

//! A dump that is held back until it was searched.
struct held_dump {
    std::vector<std::complex<float>> visibilities; // all [channel][baseline]
    std::vector<float> weights;
    std::vector<std::uint8_t> flags;
    std::vector<tag_t> tags; // offsets within the dump
    epoch start;
    double interval = 0; // seconds
    double freq = 0;     // Hz

    //! Memory of one visibility, its weight and its flags.
    static constexpr std::size_t bytes_per_value = 13;
};

/*!
 * The dumps of a window: new ones, that have not been searched, behind those that have been
 * and are kept for background. The memory of what falls out is used again.
 */
class held_dumps
{
public:
    //! window: dumps at most; hop: new ones that are searched together.
    held_dumps(std::size_t window, std::size_t hop) : d_window(window), d_hop(hop) {}

    //! The next dump: fill it, then add() it.
    held_dump& next();
    void add();
    //! True when next() does not follow on the last dump that was added, or is of another
    //! frequency.
    bool gap_before_next() const;
    //! Forgets all but next(): nothing new may be held.
    void begin_anew();

    //! Enough new dumps are there to be searched.
    bool full() const { return d_dumps.size() == d_window && d_new >= d_hop; }
    std::size_t new_dumps() const { return d_new; }
    //! All new dumps have been sent.
    void sent() { d_new = 0; }
    //! The k-th of the new dumps.
    held_dump& new_dump(std::size_t k) { return *d_dumps[d_dumps.size() - d_new + k]; }
    //! All of them, for the detector.
    kernels::rfi_window window();

private:
    const std::size_t d_window, d_hop;
    std::deque<std::unique_ptr<held_dump>> d_dumps;
    std::unique_ptr<held_dump> d_next;
    std::size_t d_new = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_HELD_DUMPS_H */
