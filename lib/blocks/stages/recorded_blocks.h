/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RECORDED_BLOCKS_H
#define INCLUDED_FRINGE_BLOCKS_RECORDED_BLOCKS_H

#include "blocks/ports/stream_description.h"
#include "io/recordings/recording.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * A file_source for blocks that read the recording themselves, with many threads, instead
 * of getting it through GNU Radio's rings. Positions count samples from the first that is
 * wanted.
 */
class recorded_blocks
{
public:
    virtual ~recorded_blocks() = default;

    //! What the blocks are, as the tag `stream` of an output would say.
    virtual stream_description description() const = 0;

    //! Samples of the block at a position; 0 where the data end, or finish() was called.
    virtual std::size_t samples_at(std::uint64_t position) const = 0;
    //! Reads it. Any number of threads may do so at a time. What is lost is appended, by
    //! stream. Throws io::damaged_recording.
    virtual void read_at(std::uint64_t position,
                         std::uint8_t* out,
                         std::vector<io::lost_samples>& lost) = 0;

    //! Samples up to a position have been taken.
    virtual void taken_until(std::uint64_t position) = 0;
    //! True for the first who asks: that one counts what is lost.
    virtual bool claim_losses() = 0;
    //! Counts what was lost in a block.
    virtual void count_lost(const std::vector<io::lost_samples>& lost) = 0;
    //! The gap that a position lies in; empty where there are samples.
    virtual io::sample_range gap_at(std::uint64_t position) const = 0;
    //! `samples` samples of a gap are not read: counts them as lost.
    virtual void skip(std::uint64_t samples) = 0;
    //! The data end where the recording is damaged: says so, in the log too.
    virtual void end_damaged(const std::string& sentence) = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RECORDED_BLOCKS_H */
