/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ZERO_BYTES_H
#define INCLUDED_FRINGE_IO_ZERO_BYTES_H

#include <cstdint>
#include <string>

namespace gr::fringe::io {

//! Fills bytes that begin at an even place of a block with samples that are zero, in the
//! place of lost ones. Where no code is zero (1 and 2 bits) it is any code, and only the
//! tag says that the samples must not be used.
void fill_with_zero(const std::string& encoding, std::uint8_t* out, std::size_t bytes);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ZERO_BYTES_H */
