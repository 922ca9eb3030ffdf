/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/file_window.h"
#include <algorithm>

namespace gr::fringe::io {

const std::uint8_t* file_window::at(std::uint64_t offset, std::size_t count)
{
    if (offset < d_offset || offset + count > d_offset + d_bytes) {
        if (offset + count > d_file.size())
            return nullptr;
        d_bytes = 0;
        d_memory.resize(capacity);
        const std::uint64_t ahead = std::max(d_end, offset + count) - offset;
        const auto bytes = static_cast<std::size_t>(
            std::min<std::uint64_t>({capacity, ahead, d_file.size() - offset}));
        d_file.read(offset, d_memory.data(), bytes);
        d_offset = offset;
        d_bytes = bytes;
    }
    return d_memory.data() + (offset - d_offset);
}

} // namespace gr::fringe::io
