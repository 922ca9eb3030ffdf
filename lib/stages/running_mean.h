/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_RUNNING_MEAN_H
#define INCLUDED_FRINGE_STAGES_RUNNING_MEAN_H

#include "stages/invalid_run.h"
#include <deque>
#include <gnuradio/fringe/api.h>
#include <memory>
#include <vector>

namespace gr::fringe {

//! A block of float32 voltages, [input][time][part]; a complex sample has two parts.
struct voltage_rows {
    float* voltages;
    std::size_t inputs;
    std::size_t parts;
    std::size_t stride;  //!< samples from one input to the next
    std::size_t samples; //!< of every input that are there
};

//! What the samples of a block add up to.
struct sample_sums {
    std::vector<double> sums;          //!< [input][part]
    std::vector<std::uint64_t> counts; //!< [input], samples that may be used
};

//! The same numbers for the same block, whichever thread adds it up.
FRINGE_API sample_sums sums_of(const voltage_rows& v, std::vector<invalid_run> invalid);

/*!
 * The mean of each part of each input over the last blocks of a stream: what a converter's
 * zero and a local oscillator that leaks add to every sample.
 *
 * It follows from the sums of those blocks alone, so it can be had anywhere in the stream.
 */
class FRINGE_API running_mean
{
public:
    //! Over so many blocks; over those that came, as long as fewer did.
    explicit running_mean(std::size_t blocks);

    void clear() { d_last.clear(); }
    //! The sums of the next block.
    void add(std::shared_ptr<const sample_sums> block);
    //! Takes the mean of the blocks out of the last of them.
    void remove(const voltage_rows& v) const;

private:
    const std::size_t d_blocks;
    std::deque<std::shared_ptr<const sample_sums>> d_last;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_RUNNING_MEAN_H */
