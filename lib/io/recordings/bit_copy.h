/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_BIT_COPY_H
#define INCLUDED_FRINGE_IO_BIT_COPY_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::io {

//! Which bit of a byte comes first.
enum class bit_order { low_first, high_first };

//! Copies `count` bits from bit `from_bit` of `from` on to bit `to_bit` of `to`. The bits
//! of `to` on either side stay; no byte without a bit in question is touched.
FRINGE_API void copy_bits(const std::uint8_t* from,
                          std::size_t from_bit,
                          std::uint8_t* to,
                          std::size_t to_bit,
                          std::size_t count,
                          bit_order order);

//! Zeroes `count` bits from bit `first` on; those on either side stay.
FRINGE_API void
clear_bits(std::uint8_t* bytes, std::size_t first, std::size_t count, bit_order order);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_BIT_COPY_H */
