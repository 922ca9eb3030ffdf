/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DUMP_TAGS_H
#define INCLUDED_FRINGE_BLOCKS_DUMP_TAGS_H

#include "blocks/ports/stream_tags.h"
#include <utility>
#include <vector>

namespace gr::fringe {

//! What the tags of a dump say.
struct dump_tags {
    epoch start;
    double interval = 0;      //!< seconds
    double exposure = 0;      //!< seconds
    bool timed = true;        //!< false: the three before are not known
    double freq = 0;          //!< Hz
    double channel_width = 0; //!< Hz; 0 = not known
    pmt::pmt_t damaged;       //!< null when absent

    //! The dump whose first item has these tags. What they do not say is as in this dump,
    //! which is the one before; without times dumps follow on one another, a second each
    //! where nothing is known.
    dump_tags next(const item_tags& tags) const;
    //! The tags of the first item of the dump: keys and values.
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>> tags() const;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DUMP_TAGS_H */
