/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECOGNIZE_H
#define INCLUDED_FRINGE_IO_RECOGNIZE_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

//! The name of the format that a file's content is in, whatever the file is
//! called; "" for samples and nothing else, which look like anything. Throws
//! std::invalid_argument for what cannot be read.
FRINGE_API std::string format_by_content(const std::string& path);

//! The name of the format whose files end so; "" = none.
FRINGE_API std::string format_by_ending(const std::string& path);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECOGNIZE_H */
