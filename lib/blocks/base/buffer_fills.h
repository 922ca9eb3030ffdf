/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_BUFFER_FILLS_H
#define INCLUDED_FRINGE_BLOCKS_BUFFER_FILLS_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe {

//! A buffer between two blocks, in front of one input.
struct buffer_fill {
    std::string from, to;        //!< the blocks' names, with their ports
    std::uint64_t waiting, room; //!< items that wait for `to`, and how many may
    std::uint64_t taken;         //!< items that it has taken so far
};

//! The buffers of a flowgraph that runs, as they are now, in the order of its edges.
//! edges: what top_block::edge_list() returns. Nothing in the blocks is changed or waited for,
//! but for the buffers' own locks.
FRINGE_API std::vector<buffer_fill> buffer_fills(const std::string& edges);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_BUFFER_FILLS_H */
