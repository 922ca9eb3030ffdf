/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STACKED_INPUT_H
#define INCLUDED_FRINGE_BLOCKS_STACKED_INPUT_H

#include "blocks/ports/stream_tags.h"
#include <cstdint>
#include <stdexcept>

namespace gr::fringe {

//! Data that cannot be stacked: the sentence that ends them.
class unstackable : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

//! The time axis that stacked streams share: places are samples since `start`.
struct stack_axis {
    epoch start;
    double rate = 0;    //!< Hz; 0 = not known yet
    bool dated = false; //!< `start` is a time that the tags say
    //! Where no stream tells one, `start` is to be that of the first samples by the clock.
    bool by_clock = false;

    //! Place of an instant, in samples and fractions of one.
    double place(const epoch& t) const { return t.seconds_since(start) * rate; }
};

/*!
 * One stream on its way into the stack: takes samples, finds their place by their time,
 * and lays them in the row of the block under way.
 */
class stacked_input
{
public:
    //! What one call of work() brings, and how much of it was used.
    struct arrival {
        const std::uint8_t* samples = nullptr;
        std::size_t count = 0;
        std::uint64_t offset = 0;  //!< number of the first in the stream
        std::vector<tag_t> tags{}; //!< in these samples, in order
        std::size_t used = 0;
        std::size_t tags_used = 0;
        bool last = false; //!< no more will come

        std::size_t left() const { return count - used; }
        //! What the tags of the next sample say; they are used up.
        item_tags next_tags();
        //! Samples from the next one to the one after it that has tags.
        std::size_t run() const;
    };

    stacked_input(std::size_t number,
                  std::size_t sample_bytes,
                  std::size_t block,
                  bool alone = false)
        : d_number(number), d_sample_bytes(sample_bytes), d_block(block), d_alone(alone)
    {
    }

    //! Finds the stream's first place on an axis that has begun; throws unstackable. The
    //! place is 0 or before.
    void begin(const item_tags& first, const stack_axis& axis);
    //! GNU Radio has dropped what was on its way, and counts the stream's samples from 0 on
    //! again.
    void restart();
    //! The stream, which tells no times, goes on at this place or later.
    void go_on_at(std::int64_t place);
    //! Fills `row`, the block that begins at `place`, as far as samples go, or to where the
    //! clock goes back; appends what was lost to `lost`. Throws unstackable.
    void fill(arrival& a,
              const stack_axis& axis,
              std::int64_t place,
              std::uint8_t* row,
              std::vector<invalid_run>& lost);

    //! Appends `count` zeros, or as many as there is room for, which count as lost.
    void
    fill_zeros(std::size_t samples, std::uint8_t* row, std::vector<invalid_run>& lost);

    //! By how much it is tuned away from where the stack's frequency counts, in Hz.
    double tuned() const { return d_freq - d_own_freq; }
    //! The stack's frequency is that of what comes now.
    void follow_tuning() { d_own_freq = d_freq; }

    //! Samples in the row.
    std::size_t filled() const { return d_filled; }
    //! The next block's row is empty.
    void next_block() { d_filled = 0; }
    //! Place of the next sample to come.
    std::int64_t next() const { return d_next; }
    std::uint64_t missing() const { return d_missing; }
    std::uint64_t late() const { return d_late; }
    //! What happened, for the log; "" if nothing did. Told once.
    std::string take_warning();

private:
    void check_rate(const item_tags& tags, const stack_axis& axis) const;
    void follow(const item_tags& tags, const stack_axis& axis);

    const std::size_t d_number;
    const std::size_t d_sample_bytes;
    const std::size_t d_block;
    const bool d_alone;      // no other input waits to be tuned alike
    bool d_dated = false;    // began with an rx_time
    bool d_at_first = false; // the tags of the next sample were used by begin()
    bool d_lost =
        false; // samples were dropped before the next one; their number is not known
    std::int64_t d_next = 0;
    std::size_t d_filled = 0;
    std::uint64_t d_missing = 0;
    std::uint64_t d_late = 0;
    double d_freq = 0;     // Hz; 0 = not known
    double d_own_freq = 0; // at which the frequency of the stack counts
    std::string d_warning;
};

//! What has come at an input of a block in this call of work(): `count` samples at `in`.
stacked_input::arrival
arrived(const gr::block& self, unsigned port, int count, const void* in);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STACKED_INPUT_H */
