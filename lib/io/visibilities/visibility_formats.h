/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_VISIBILITY_FORMATS_H
#define INCLUDED_FRINGE_IO_VISIBILITY_FORMATS_H

#include "io/visibilities/visibility_writer.h"

namespace gr::fringe::io {

//! Which phases the visibilities of a format have.
enum class visibility_phases {
    as_correlated, //!< those of the correlator
    one_direction, //!< towards one direction among the stars
    any_direction, //!< towards a phase center that may move
};

//! A kind of visibility file: a line of the table in visibility_formats.cc.
struct visibility_format {
    std::string ending;      //!< of its names, which chooses the format
    std::string name;        //!< "MeasurementSet"
    std::string description; //!< one line: what it is, and for which programs
    bool readable = false;   //!< whether read_visibilities() in Python reads it, too
    bool any_rows = false;   //!< whether a dump may have some of the baselines only
    visibility_phases phases = visibility_phases::as_correlated;
    std::unique_ptr<visibility_writer> (*make)(const std::string& path,
                                               const visibility_file_params&) = nullptr;
};

//! The table.
FRINGE_API const std::vector<visibility_format>& visibility_formats();

//! The format that the ending of a path chooses, in large or small letters.
//! Throws std::invalid_argument for another ending.
const visibility_format& visibility_format_of(const std::string& path);

//! Endings of the formats of which `any_rows` is true, in a sentence: ".ms and .uvh5".
std::string endings_with_any_rows();

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_VISIBILITY_FORMATS_H */
