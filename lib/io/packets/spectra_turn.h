/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_SPECTRA_TURN_H
#define INCLUDED_FRINGE_IO_SPECTRA_TURN_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>

namespace gr::fringe::io {

//! A complex value of an item: two int8, the real one first in memory. It may lie at any
//! address.
typedef std::uint16_t int8_pair __attribute__((may_alias, aligned(1)));

//! How four bits of a component are coded, and which half of a byte has the real one.
struct nibble_code {
    bool offset_binary = false;
    bool high_real = true;
};

// The corner turn between items, [input][time] of each channel, and packets, which have the
// inputs of a spectrum side by side.

//! Value t of row r, at in + r * in_step + t, goes to out + t * out_step + r, which has
//! `out_step` in bytes and values of two bytes.
FRINGE_API void turn_pairs(const int8_pair* in,
                           std::size_t in_step,
                           std::size_t rows,
                           std::size_t times,
                           std::uint8_t* out,
                           std::size_t out_step);
//! The same to values of one byte, the real part in its high half, both two's complement.
FRINGE_API void turn_to_nibbles(const int8_pair* in,
                                std::size_t in_step,
                                std::size_t rows,
                                std::size_t times,
                                std::uint8_t* out,
                                std::size_t out_step);

//! Value r of spectrum t, at in[t] + at + 2 * r, goes to out + r * out_step + t.
FRINGE_API void turn_back_pairs(const std::uint8_t* const* in,
                                std::size_t at,
                                std::size_t rows,
                                std::size_t times,
                                int8_pair* out,
                                std::size_t out_step);
//! The same from values of one byte, at in[t] + at + r.
FRINGE_API void turn_back_nibbles(const std::uint8_t* const* in,
                                  std::size_t at,
                                  std::size_t rows,
                                  std::size_t times,
                                  nibble_code code,
                                  int8_pair* out,
                                  std::size_t out_step);

//! Two rows whose values lie in turn behind each other, at in + 2 * (2 * t + r) or, with
//! values of one byte, in + 2 * t + r, go to out + r * out_step + t.
FRINGE_API void divide_pairs(const std::uint8_t* in,
                             std::size_t times,
                             int8_pair* out,
                             std::size_t out_step);
FRINGE_API void divide_nibbles(const std::uint8_t* in,
                               std::size_t times,
                               nibble_code code,
                               int8_pair* out,
                               std::size_t out_step);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_SPECTRA_TURN_H */
