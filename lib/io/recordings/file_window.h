/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FILE_WINDOW_H
#define INCLUDED_FRINGE_IO_FILE_WINDOW_H

#include "io/recordings/input_file.h"
#include <cstddef>
#include <vector>

namespace gr::fringe::io {

/*!
 * A stretch of a file in memory that moves on with its reader, so that many small pieces
 * cost one call of the system. It fits into a core's cache. Each reader has one of its own.
 */
class file_window
{
public:
    static constexpr std::size_t capacity = std::size_t(1) << 18;

    //! The reader goes on to about byte `end`; behind it no more is read than is asked for.
    file_window(const input_file& file,
                std::uint64_t end,
                std::vector<std::uint8_t>& memory)
        : d_file(file), d_end(end), d_memory(memory)
    {
    }

    //! Bytes offset ... offset + count - 1; null when the file ends before. They stay where
    //! they are until the next call. Up to `capacity` bytes. Throws damaged_recording.
    const std::uint8_t* at(std::uint64_t offset, std::size_t count);

private:
    const input_file& d_file;
    const std::uint64_t d_end;
    std::vector<std::uint8_t>& d_memory;
    std::uint64_t d_offset = 0;
    std::size_t d_bytes = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FILE_WINDOW_H */
