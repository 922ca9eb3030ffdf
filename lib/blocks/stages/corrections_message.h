/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CORRECTIONS_MESSAGE_H
#define INCLUDED_FRINGE_BLOCKS_CORRECTIONS_MESSAGE_H

#include "stages/planned_corrections.h"
#include <functional>
#include <gnuradio/block.h>

namespace gr::fringe {

//! Adds the message port `corrections`: a dictionary of `corrections`, a c32vector, and
//! `time`, UHD's tuple (uint64 seconds, double fraction), which may be missing: at once. What
//! is wrong with a message is logged.
void add_corrections_port(gr::block& block,
                          const gr::logger_ptr& logger,
                          std::function<void(planned_corrections::change)> plan);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_CORRECTIONS_MESSAGE_H */
