/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_TAR_FILE_H
#define INCLUDED_FRINGE_IO_TAR_FILE_H

#include "io/recordings/input_file.h"
#include <vector>

namespace gr::fringe::io {

//! A file within an archive.
struct tar_member {
    std::string name;
    std::uint64_t begin, end; //!< bytes of the archive
};

//! True where an archive begins.
bool is_tar(const std::vector<std::uint8_t>& start);
//! The ordinary files in an archive (POSIX tar, with long names of pax and GNU). Throws
//! damaged_recording.
std::vector<tar_member> tar_members(const input_file& file);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_TAR_FILE_H */
