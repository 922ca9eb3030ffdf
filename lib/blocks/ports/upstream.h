/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_UPSTREAM_H
#define INCLUDED_FRINGE_BLOCKS_UPSTREAM_H

#include <gnuradio/block.h>
#include <vector>

namespace gr::fringe {

//! All blocks that a block's data come from, each once, the nearest first. For a block of a
//! flowgraph that has been started.
std::vector<gr::block_sptr> upstream(const gr::block& b);

//! All blocks that streams connect a block with, in either direction, each once, the
//! nearest first; without the block itself. For a block of a flowgraph that has been
//! started.
std::vector<gr::block_sptr> connected(const gr::block& b);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_UPSTREAM_H */
