/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_RECORDING_PIECE_H
#define INCLUDED_FRINGE_IO_RECORDING_PIECE_H

#include "io/recordings/bit_copy.h"
#include "io/recordings/recording.h"

namespace gr::fringe::io {

/*!
 * One file's part of a block of `block` samples: rows one after the other, which are the
 * threads or channels that the file keeps apart, or its streams. Here samples are read and
 * put by the sample, also where a format packs several into a byte and reads them in groups
 * (recording_format::granule). A block holds whole bytes of each row.
 */
class FRINGE_API recording_piece
{
public:
    recording_piece(const recording& from,
                    const recording_format& format,
                    std::size_t block);

    std::size_t bytes() const { return d_rows * d_row_bytes; }

    //! Samples first ... first + count - 1 of the recording go to place `at` of the block.
    //! The rest of the block stays. What is lost is appended to `lost`, its places counted
    //! from the start of the block. Any number of threads may read at once.
    void read(std::uint64_t first,
              std::size_t count,
              std::size_t at,
              std::uint8_t* block,
              std::vector<lost_samples>& lost) const;
    //! Zeroes `count` samples from place `at` on.
    void clear(std::size_t at, std::size_t count, std::uint8_t* block) const;

    //! Puts zeros in the place of `count` lost samples from place `at` on, which begins a
    //! byte; where it does not end with one, samples behind it become zero as well.
    void fill_lost(std::size_t at, std::size_t count, std::uint8_t* block) const;

private:
    bool
    is_readable_at_once(std::uint64_t first, std::size_t count, std::size_t at) const;
    bool read_rows(std::uint64_t first,
                   std::size_t count,
                   std::size_t at,
                   std::uint8_t* block,
                   std::vector<lost_samples>& lost) const;

    const recording& d_from;
    const std::size_t d_granule, d_block;
    const bit_order d_order;
    std::size_t d_rows;
    std::size_t d_bits; // of one sample of a row
    std::size_t d_row_bytes;
    std::string d_encoding;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_RECORDING_PIECE_H */
