/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ORDERED_BLOCKS_H
#define INCLUDED_FRINGE_IO_ORDERED_BLOCKS_H

#include "io/recordings/block_reader.h"
#include <deque>
#include <memory>

namespace gr::fringe::io {

/*!
 * The blocks of a recording one after the other, read ahead into a ring of the caller: each
 * as one item, or as several.
 *
 * The last block of a recording may be a short one; a recording that is repeated begins
 * again behind it.
 */
class FRINGE_API ordered_blocks
{
public:
    struct sizes {
        std::size_t block_samples;
        std::size_t item_samples; //!< a divisor of block_samples
        std::size_t item_bytes;
    };
    //! The first `total` samples of the recording. The recording must live longer.
    ordered_blocks(const recording_set& from,
                   const sizes& of,
                   std::uint64_t total,
                   bool repeat);

    //! Begins behind the last item that was taken. Throws std::system_error when the
    //! system gives no thread.
    void start(unsigned threads);
    //! Returns when nothing is being read any more; what was not taken is read again.
    void stop();

    //! All items were taken.
    bool ended() const { return !d_repeat && d_taken == d_total; }
    //! Has as many of the next items read as there are free places: `places`, one behind
    //! the other, of which the first is that of the item to be taken next.
    void begin(std::uint8_t* first, std::size_t places);
    struct item {
        std::size_t samples;
        bool ends_short; //!< it ends a block that has fewer samples than others
    };
    //! Waits for the next item; `lost` is what of it is no good. Throws damaged_recording,
    //! after which only stop() may be called.
    item take(std::vector<lost_samples>& lost);
    //! Place of the item to be taken next: behind a gap, if there is one.
    std::uint64_t next() const { return d_taken; }

private:
    std::size_t samples_at(std::uint64_t position) const;
    std::uint64_t after(std::uint64_t position) const;

    const recording_set& d_from;
    const sizes d_sizes;
    const std::uint64_t d_total;
    const bool d_repeat;
    std::uint64_t d_taken = 0, d_begun = 0; // places in the recording
    std::unique_ptr<block_reader> d_reader;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ORDERED_BLOCKS_H */
