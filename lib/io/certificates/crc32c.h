/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_CRC32C_H
#define INCLUDED_FRINGE_IO_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::io {

//! The CRC-32C (Castagnoli, RFC 3720) of bytes; `before`: that of the bytes in front of them.
FRINGE_API std::uint32_t
crc32c(const void* bytes, std::size_t count, std::uint32_t before = 0);

//! Those of rows of equal length, which follow each other.
FRINGE_API void crc32c_of_rows(const void* values,
                               std::size_t rows,
                               std::size_t row_bytes,
                               std::uint32_t* sums);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_CRC32C_H */
