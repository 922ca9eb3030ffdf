/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_GROUP_BUFFER_H
#define INCLUDED_FRINGE_IO_GROUP_BUFFER_H

#include "io/recordings/recording.h"

namespace gr::fringe::io {

/*!
 * Puts the groups of several MWA-32T receivers in step by their numbers, and hands them
 * on as raw blocks [receiver][time][stream].
 *
 * Blocks begin with the receiver that begins last. A block waits for every receiver that
 * is there, but not longer than half the buffer: what comes later is dropped, and so is
 * what finds the buffer full. Dropped or never come, a group keeps its place in time.
 */
class FRINGE_API group_buffer
{
public:
    //! Of `capacity` groups per receiver, at least 4 blocks.
    group_buffer(std::size_t receivers, std::size_t block, std::size_t capacity);

    //! A receiver is (no more) there to be waited for.
    void set_present(std::size_t k, bool present) { d_receivers[k].present = present; }
    void put(std::size_t k, std::uint64_t number, const std::uint8_t* samples);

    //! All receivers have begun.
    bool begun() const { return d_begun; }
    //! A whole block can be taken.
    bool ready() const;
    //! Groups that can be taken at the end of the data.
    std::size_t rest() const;
    //! The next block: `count` samples, at most a block, and the rest zero.
    void take(std::size_t count, std::uint8_t* out, std::vector<lost_samples>& lost);

    bool heard(std::size_t k) const { return d_receivers[k].head > 0; }
    //! Number after the receiver's newest group.
    std::uint64_t head(std::size_t k) const { return d_receivers[k].head; }
    //! Samples that never came; that came and were dropped. Of each stream of a receiver.
    std::uint64_t missing(std::size_t k) const;
    std::uint64_t dropped(std::size_t k) const { return d_receivers[k].dropped; }

private:
    struct receiver {
        bool present = false;
        std::uint64_t head = 0;           // 0 = not heard yet
        std::uint64_t dropped = 0;        // groups that came too late or found no room
        std::uint64_t blank = 0;          // groups that blocks went without
        std::vector<std::uint8_t> data;   // of group n at n modulo capacity
        std::vector<std::uint8_t> filled; // 1 where there is one
    };

    std::uint64_t newest() const;
    void advance(std::uint64_t base);
    bool room_for(receiver& r, std::uint64_t number);

    const std::size_t d_block;
    const std::size_t d_capacity;
    std::vector<receiver> d_receivers;
    std::uint64_t d_base = 0;   // number of the first group in the buffer
    std::uint64_t d_origin = 0; // where the data begin
    bool d_begun = false;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_GROUP_BUFFER_H */
