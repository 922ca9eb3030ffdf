/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_START_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_START_H

#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <optional>
#include <string>

namespace gr::fringe {

//! The time by this computer's clock.
epoch clock_time();

//! The parameter `start_time` of a live source: ISO 8601, or none for "now" and "". Throws
//! std::invalid_argument.
std::optional<epoch> live_start(const std::string& start_time);

//! What the log and the history of a file say of data that are dated by the clock.
extern FRINGE_API const char* const dated_by_clock;

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_START_H */
