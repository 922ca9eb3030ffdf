/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/zero_bytes.h"
#include <cstring>

namespace gr::fringe::io {

void fill_with_zero(const std::string& encoding, std::uint8_t* out, std::size_t bytes)
{
    if (encoding == "u16" || encoding == "cu16") {
        for (std::size_t k = 0; k < bytes; ++k)
            out[k] = k % 2 ? 0x80 : 0x00;
        return;
    }
    const bool eight = encoding == "u8" || encoding == "cu8_128";
    const bool four = encoding == "vdif4" || encoding == "cvdif4";
    const bool between = encoding == "cu8"; // 127.4: the nearest number
    std::memset(out, between ? 0x7f : eight ? 0x80 : four ? 0x88 : 0, bytes);
}

} // namespace gr::fringe::io
