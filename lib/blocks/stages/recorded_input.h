/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RECORDED_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_RECORDED_INPUT_H

#include "blocks/stages/recorded_blocks.h"
#include "stages/stretch.h"
#include <algorithm>
#include <gnuradio/fringe/file_source.h>

namespace gr::fringe {

//! A recording that workers read themselves: blocks are planned here, without their
//! samples, and read by the worker that needs them.
class recorded_input
{
public:
    //! `rows`: which input each stream of the recording is.
    recorded_input(const file_source::sptr& recording, std::vector<std::size_t> rows);

    //! Throws std::invalid_argument, naming both, where the recording's blocks are not
    //! what is wanted.
    void expect(stream_description wanted) const;
    double center_frequency() const { return d_recording->center_frequency(); }
    epoch start_time() const { return d_recording->start_time(); }
    double sample_rate() const { return d_recording->sample_rate(); }

    std::uint64_t total_samples() const { return d_recording->total_samples(); }

    //! The next block is the one at a position.
    void begin_at(std::uint64_t position) { d_position = position; }
    //! The gap that the next block ends in; empty where there are samples.
    io::sample_range gap() const
    {
        const std::size_t samples = d_blocks.samples_at(d_position);
        return d_blocks.gap_at(d_position + std::max<std::size_t>(samples, 1) - 1);
    }
    //! The next block is the one at a position behind a gap, of which `lost` samples count
    //! here as lost.
    void skip_to(std::uint64_t position, std::uint64_t lost);
    //! The next block; null at the end of the recording.
    std::shared_ptr<raw_block> next();
    //! Reads the samples of a block, and appends what is lost, by input. Any number of
    //! threads may do so at a time. Throws damaged_block.
    void
    read(const raw_block& block, std::uint8_t* out, std::vector<invalid_run>& invalid);
    //! The data end where the recording is damaged.
    void end_damaged(const std::string& sentence) { d_blocks.end_damaged(sentence); }

private:
    const file_source::sptr d_recording;
    recorded_blocks& d_blocks; // the same
    const std::vector<std::size_t> d_rows;
    const bool d_counts_losses;   // no other block does, of this recording
    std::uint64_t d_position = 0; // of the next block
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RECORDED_INPUT_H */
