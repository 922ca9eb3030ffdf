/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_LFILE_DESCRIPTION_H
#define INCLUDED_FRINGE_IO_LFILE_DESCRIPTION_H

#include "io/visibilities/visibility_writer.h"
#include <string>

namespace gr::fringe::io {

//! The YAML text that describes raw visibilities, up to the list of its dumps; `what` is
//! a line on the files.
std::string lfile_header(const std::string& what, const visibility_file_params& params);

//! The line of one dump.
std::string lfile_line(const dump& d);

//! The end of the text: lines on the run as a whole; "" without any.
std::string lfile_notes(const std::string& notes);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_LFILE_DESCRIPTION_H */
