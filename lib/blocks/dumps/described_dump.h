/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DESCRIBED_DUMP_H
#define INCLUDED_FRINGE_BLOCKS_DESCRIBED_DUMP_H

#include "blocks/ports/dump_tags.h"

namespace gr::fringe {

//! What a stream says of a dump that its geometry on the sky depends on.
struct described_dump {
    dump_tags tags;
    bool first = false; //!< of the run
    std::string edge_channel, complex_samples;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DESCRIBED_DUMP_H */
