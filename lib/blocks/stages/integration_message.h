/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_INTEGRATION_MESSAGE_H
#define INCLUDED_FRINGE_BLOCKS_INTEGRATION_MESSAGE_H

#include <cstdint>
#include <functional>
#include <gnuradio/block.h>

namespace gr::fringe {

//! Gives a block the message port `integration`: a number is seconds per dump, a pair
//! ("seconds" . number) or ("spectra" . number) says which. Anything else is logged.
void add_integration_port(gr::block& block,
                          const gr::logger_ptr& logger,
                          std::function<void(double seconds, std::uint64_t spectra)> set);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_INTEGRATION_MESSAGE_H */
