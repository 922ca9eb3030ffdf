/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_GROWING_FILE_H
#define INCLUDED_FRINGE_IO_GROWING_FILE_H

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace gr::fringe::io {

/*!
 * A file that grows by whole pieces: what a failed append left of its piece is cut off
 * again. Throws std::runtime_error with a sentence that begins with `name`.
 */
class growing_file
{
public:
    //! `file`: open for writing, empty; closed by this.
    growing_file(int file, const std::string& name);
    growing_file(const growing_file&) = delete;
    growing_file& operator=(const growing_file&) = delete;
    ~growing_file();

    //! Appends a part of a piece.
    void add(const void* data, std::size_t bytes);
    void end_piece() { d_whole = d_end; }
    //! Back to the last whole piece.
    void cut();
    //! Throws lost_writes.
    void close();

private:
    [[noreturn]] void fail(const char* what) const;

    std::string d_name;
    int d_file;
    off_t d_end = 0;
    off_t d_whole = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_GROWING_FILE_H */
