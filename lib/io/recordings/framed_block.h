/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FRAMED_BLOCK_H
#define INCLUDED_FRINGE_IO_FRAMED_BLOCK_H

#include "io/recordings/file_window.h"
#include "io/recordings/framed_recording.h"

namespace gr::fringe::io {

//! Samples first ... first + count - 1 of every thread, which go to `out`, those of each
//! thread `row_bytes` behind those of the one before.
struct block_place {
    std::uint64_t first;
    std::size_t count;
    std::uint8_t* out;
    std::size_t row_bytes;
};

/*!
 * One block of samples on its way from a file of frames: which frames of every thread were
 * found, and what is missing.
 */
class framed_block
{
public:
    framed_block(const framed_recording& from, const block_place& to);

    //! Puts what the file has in its place. Returns where later frames lie.
    framed_recording::known_place read();
    //! Zeroes the rest.
    void fill_lost() const;
    //! Appends the rest, run by run.
    void tell_lost(std::vector<lost_samples>& lost) const;

private:
    using frame = framed_recording::placed_frame;
    // How much of a frame there is.
    struct received {
        std::size_t samples = 0;    // from its start on
        loss cause = loss::missing; // of the rest
    };

    bool next(frame& f, std::uint64_t search_from);
    received* place_of(const frame_header& header);
    received put(const frame& f, const received* place);
    template <class F>
    void for_each_lost(std::size_t thread, const F& use) const;

    const framed_recording& d_from;
    const std::uint64_t d_first;
    const std::size_t d_count;
    std::uint8_t* const d_out;
    const std::size_t d_row_bytes;
    const std::int64_t d_first_frame, d_last_frame;
    std::vector<received> d_received; // [frame][thread]
    const std::uint64_t d_begin;      // where the file is read from
    file_window d_window;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FRAMED_BLOCK_H */
