/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FRAMES_IN_ORDER_H
#define INCLUDED_FRINGE_IO_FRAMES_IN_ORDER_H

#include "io/recordings/framed_block.h"
#include <sys/uio.h>

namespace gr::fringe::io {

/*!
 * Samples of frames that lie in the file as they were due: the system copies them straight to
 * their places in a block, and headers beside it, which then say whether they were.
 */
class frames_in_order
{
public:
    frames_in_order(const framed_recording& from, const block_place& to);

    //! True when the file has all frames where they are expected, so that the block is
    //! whole. Otherwise the contents of the block are undefined.
    bool read();
    //! Where the last frames of the block lie.
    framed_recording::known_place last() const;

private:
    bool read_frames(std::uint64_t first, std::size_t count);
    bool is_due(std::uint64_t frame, const std::uint8_t* raw) const;
    bool ends_well() const;
    void add(void* at, std::size_t bytes);

    const framed_recording& d_from;
    const block_place d_to;
    const std::uint64_t d_threads;     // frames of one time
    const std::uint64_t d_first_frame; // of a thread
    const std::uint64_t d_frames;      // of all threads
    std::uint64_t d_offset;            // of the first frame
    std::vector<iovec>& d_pieces;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FRAMES_IN_ORDER_H */
