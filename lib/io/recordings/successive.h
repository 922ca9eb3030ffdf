/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SUCCESSIVE_H
#define INCLUDED_FRINGE_IO_SUCCESSIVE_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! A stretch of one recording: a file, or a piece of a file with a header of its own.
struct recording_part {
    std::string name; //!< for sentences
    std::unique_ptr<recording> samples;
    std::uint64_t first = 0; //!< the sample of the whole that it begins with
};

//! Puts parts into the order of their times and says where each begins. Where some do not
//! state their time they follow each other closely, in the order that they have, and the
//! answer is false. Throws
//! std::invalid_argument for parts that are not alike, and for those that overlap.
bool place_by_times(std::vector<recording_part>& parts, const recording_format& format);

//! One recording of parts that lie one after the other; between them samples are missing.
//! `what` the parts are, for the remark: "files"; `remark`: what else it says.
std::unique_ptr<recording> one_after_the_other(std::vector<recording_part> parts,
                                               const recording_format& format,
                                               const std::string& what,
                                               const std::string& remark = "");

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SUCCESSIVE_H */
