/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_OCCUPANCY_PORT_H
#define INCLUDED_FRINGE_BLOCKS_OCCUPANCY_PORT_H

#include <pmt/pmt.h>

namespace gr::fringe {

//! The message port for what share of the data was flagged.
inline const pmt::pmt_t& occupancy_port()
{
    static const pmt::pmt_t name = pmt::mp("occupancy");
    return name;
}

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_OCCUPANCY_PORT_H */
