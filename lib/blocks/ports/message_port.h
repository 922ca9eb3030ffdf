/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_MESSAGE_PORT_H
#define INCLUDED_FRINGE_BLOCKS_MESSAGE_PORT_H

#include <functional>
#include <gnuradio/block.h>
#include <gnuradio/fringe/epoch.h>
#include <optional>
#include <string>

namespace gr::fringe {

//! Adds a message port whose messages `take` gets. What it throws is logged.
void add_message_port(gr::block& block,
                      const gr::logger_ptr& logger,
                      const std::string& name,
                      std::function<void(const pmt::pmt_t&)> take);

//! An entry of a message that is a dictionary; null where it has none, or is no dictionary.
pmt::pmt_t entry_of(const pmt::pmt_t& message, const std::string& name);

//! An instant in a message, UHD's tuple (uint64 seconds, double fraction); epoch(), which
//! means at once, of null. Nothing of what is neither.
std::optional<epoch> time_in(const pmt::pmt_t& value);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_MESSAGE_PORT_H */
