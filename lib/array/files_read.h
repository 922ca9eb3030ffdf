/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_FILES_READ_H
#define INCLUDED_FRINGE_ARRAY_FILES_READ_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::array {

/*!
 * While one of these lives, every file that this process reads is remembered, whatever part reads
 * it and whether it is still open, and no output may take its place. A command or a call
 * of correlate() has one. What is read without one is not remembered: a program may read a
 * file and overwrite it later.
 */
class FRINGE_API reading_scope
{
public:
    reading_scope();
    reading_scope(const reading_scope&) = delete;
    reading_scope& operator=(const reading_scope&) = delete;
    ~reading_scope();
};

//! Remembers a file or folder that is read. All that open files for reading say so.
FRINGE_API void note_read(const std::string& path);

//! All that is remembered now, by the names it was read by.
FRINGE_API std::vector<std::string> files_read();

//! What was read and would be lost if something took the place of `path`: the same file by
//! whatever name, or one in a folder of that name; "" for nothing.
FRINGE_API std::string read_in_place_of(const std::string& path);

//! All of a text file: a table, an observation. Throws std::invalid_argument with a
//! sentence when it cannot be read, is no plain file (a pipe would be waited for, a device
//! has no end), or has more than `maximum` bytes.
FRINGE_API std::string read_text_file(const std::string& path,
                                      std::uint64_t maximum = 64u << 20);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_FILES_READ_H */
