/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BEAMS_MESSAGE_H
#define INCLUDED_FRINGE_BLOCKS_BEAMS_MESSAGE_H

#include <functional>
#include <gnuradio/block.h>
#include <gnuradio/fringe/epoch.h>
#include <string>
#include <vector>

namespace gr::fringe {

//! Where beams are to look, and from when on; epoch(): at once.
struct beams_message {
    std::vector<std::string> directions, nulls;
    std::vector<float> amplitudes;
    epoch from;
};

//! Adds the message port `beams`: a dictionary of `directions` and `nulls` (vectors of
//! symbols), `amplitudes` (f32vector) and `time`, UHD's tuple (uint64 seconds, double
//! fraction); all but the directions may be missing. What is wrong with a message is logged.
void add_beams_port(gr::block& block,
                    const gr::logger_ptr& logger,
                    std::function<void(const beams_message&)> point);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BEAMS_MESSAGE_H */
