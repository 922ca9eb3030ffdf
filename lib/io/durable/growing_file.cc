/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/durable/growing_file.h"
#include "io/durable/output_target.h"
#include "io/durable/whole_writes.h"
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace gr::fringe::io {

growing_file::growing_file(int file, const std::string& name) : d_name(name), d_file(file)
{
}

growing_file::~growing_file()
{
    if (d_file >= 0)
        ::close(d_file);
}

void growing_file::add(const void* data, std::size_t bytes)
{
    const std::size_t done = write_whole(d_file, data, bytes);
    d_end += static_cast<off_t>(done);
    if (done < bytes)
        fail("cannot be written");
}

void growing_file::cut()
{
    // Making a file shorter needs no space.
    if (ftruncate(d_file, d_whole) == 0)
        d_end = lseek(d_file, d_whole, SEEK_SET);
}

void growing_file::close()
{
    const int file = d_file;
    d_file = -1;
    close_written(file, d_name);
}

void growing_file::fail(const char* what) const
{
    throw std::runtime_error(d_name + ": " + what + ": " + std::strerror(errno));
}

} // namespace gr::fringe::io
