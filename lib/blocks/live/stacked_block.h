/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STACKED_BLOCK_H
#define INCLUDED_FRINGE_BLOCKS_STACKED_BLOCK_H

#include "blocks/live/stacked_input.h"

namespace gr::fringe {

/*!
 * The block of voltages [input][time] that is being stacked: finds the common start of the
 * streams, and takes their samples until it is whole.
 */
class stacked_block
{
public:
    using arrivals = std::vector<stacked_input::arrival>;

    stacked_block(std::size_t inputs,
                  std::size_t samples,
                  std::size_t sample_bytes,
                  const stack_axis& axis,
                  double center_frequency);

    //! Finds the common start, once the first sample of every input is there; false while
    //! it is not. Throws unstackable.
    bool begin(arrivals& from);
    //! The flowgraph goes on: samples were lost, and the first item says its time again.
    void restart();
    //! Takes what has come; true when all inputs have samples() samples.
    bool fill(arrivals& from);
    //! The next one; this one was `samples` long.
    void next(std::size_t samples);

    bool began() const { return d_began; }
    //! A stream is over: this block is the last.
    bool ended() const { return d_ended; }
    void end() { d_ended = true; }
    //! Length the block can have: all of it, or what there is of the stream that ended.
    std::size_t samples() const { return d_end; }
    //! Samples that every input has by now.
    std::size_t filled() const;

    const std::vector<stacked_input>& inputs() const { return d_inputs; }
    const stack_axis& axis() const { return d_axis; }
    double center_frequency() const { return d_freq; }
    //! The block begins a stream, follows on a gap of all inputs or on a clock that went
    //! back, or is the first of another frequency.
    bool new_time() const { return d_new_time; }
    epoch start() const { return d_axis.start.plus_samples(d_place, d_axis.rate); }
    //! What was lost of its first `samples`.
    std::vector<invalid_run> lost(std::size_t samples) const;
    //! The voltages; behind `samples` they are zero.
    const std::vector<std::uint8_t>& voltages(std::size_t samples);
    //! Samples of every input that were left out, as no input had them.
    std::uint64_t skipped() const { return d_skipped; }
    //! Returns what happened on the inputs since the last call, for the log.
    std::vector<std::string> take_warnings();

private:
    epoch first_by_clock(const arrivals& from) const;
    void go_on(const arrivals& from);
    void skip_common_gap();
    bool went_back() const;
    void follow_clock();
    void follow_tuning();
    void fill_rows(arrivals& from);
    std::uint8_t* row(std::size_t i) { return &d_rows[i * d_block * d_sample_bytes]; }

    const std::size_t d_block;
    const std::size_t d_sample_bytes;
    double d_freq;
    stack_axis d_axis;
    std::vector<stacked_input> d_inputs;
    std::vector<std::uint8_t> d_rows;
    std::vector<invalid_run> d_lost;
    std::int64_t d_place = 0; // of the block's first sample
    std::size_t d_end;
    std::uint64_t d_skipped = 0;
    bool d_began = false;
    bool d_goes_on = false; // it began before, in an earlier run
    bool d_new_time = true;
    bool d_ended = false;
    std::string d_warning;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STACKED_BLOCK_H */
