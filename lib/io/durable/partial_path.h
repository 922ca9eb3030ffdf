/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PARTIAL_PATH_H
#define INCLUDED_FRINGE_IO_PARTIAL_PATH_H

#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::io {

//! "x.ms/" means "x.ms".
std::string without_trailing_slash(std::string path);

//! The name of a file that is not finished yet: "dir/x.ms" -> "dir/x.partial.ms".
FRINGE_API std::string partial_path(const std::string& path);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PARTIAL_PATH_H */
