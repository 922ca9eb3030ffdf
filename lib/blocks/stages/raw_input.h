/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_RAW_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_RAW_INPUT_H

#include "blocks/base/loss_counter.h"
#include "blocks/ports/data_watch.h"
#include "blocks/ports/stream_tags.h"
#include "kernels/unpack/unpacker.h"
#include <functional>

namespace gr::fringe {

//! The unpacker for blocks of a recording format. Throws std::invalid_argument naming the
//! block `unpack` and the parameter. `component`: "auto" or a name.
kernels::unpacker_params unpacker_params_of(const std::string& format,
                                            std::size_t inputs,
                                            std::size_t block_samples,
                                            const std::string& component,
                                            std::size_t files,
                                            const std::vector<std::size_t>& streams);

//! Runs of samples of streams as runs of samples of inputs.
std::vector<invalid_run> runs_of_inputs(std::vector<invalid_run> runs,
                                        const std::vector<std::size_t>& rows);

/*!
 * What a block that takes raw samples says of them: in the log when they come and when they
 * stop, unless the source in front of it does, and through the message port `losses` what the
 * block counts itself, saturated samples for example, and how many GNU Radio dropped before
 * the block when the flowgraph was changed.
 */
class raw_input
{
public:
    //! Gives the block its port. `counts` returns those of the block so far, or with `late`
    //! those of a while ago, if it would have to wait.
    raw_input(gr::block& block,
              std::size_t inputs,
              std::function<loss_counter::counts(bool late)> counts);

    void start(gr::logger_ptr logger);
    //! The source in front says what comes and goes; known from start() on.
    bool watched() const { return d_watched; }
    void stop();
    //! In forecast(): whether items are there.
    void waiting(bool there);
    //! An item of `samples` samples of every input was taken.
    void took(const item_tags& tags, std::uint64_t samples);
    //! The same where nothing has to be watched.
    void count(std::uint64_t samples) { d_taken += samples; }
    //! After each call of work.
    void tell();
    void tell_end();

    loss_counter::counts losses() const;

private:
    void follow(const item_tags& tags);
    void look(bool late);

    gr::block& d_block;
    gr::logger_ptr d_logger;
    const std::size_t d_inputs;
    const std::function<loss_counter::counts(bool)> d_counts;
    loss_counter d_losses;
    data_watch d_watch;
    array::timeline d_time;    // of samples, of all runs
    std::uint64_t d_next = 0;  // sample to come
    bool d_watched = false;    // by the source, which says more
    std::uint64_t d_taken = 0; // samples of every input
    std::chrono::steady_clock::time_point d_looked;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_RAW_INPUT_H */
