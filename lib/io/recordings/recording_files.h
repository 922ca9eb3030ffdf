/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_FILES_H
#define INCLUDED_FRINGE_IO_RECORDING_FILES_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! The order of names in which numbers count as numbers: x9 is in front of x10.
bool natural_less(const std::string& a, const std::string& b);

//! The files that a recording's name stands for: itself, or several of one receiver, one
//! after the other: "a0.vdif+a1.vdif" or a pattern ("a*.vdif"). A file of that very name
//! goes before both. Throws std::invalid_argument where a pattern fits no file.
FRINGE_API std::vector<std::string> files_of_recording(const std::string& path);

//! Opens a recording, whichever files it lies in.
FRINGE_API std::unique_ptr<recording> open_recording(const recording_format& format,
                                                     const std::string& path,
                                                     const recording_hints& hints);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_FILES_H */
