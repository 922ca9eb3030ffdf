/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_GROUP_FOLLOWER_H
#define INCLUDED_FRINGE_IO_GROUP_FOLLOWER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::io {

/*!
 * Cuts the bytes of one MWA-32T receiver into groups and follows their counters: a 16-bit
 * counter becomes a number that never wraps.
 *
 * Groups that jump far count only when some agree with each other, so a damaged counter
 * costs one group, and bytes that are no groups move no time.
 */
class FRINGE_API group_follower
{
public:
    //! Gets the number of a group and its 32 bytes of samples.
    using sink = std::function<void(std::uint64_t, const std::uint8_t*)>;

    //! A new connection: begins with a whole group.
    void restart();
    //! Goes over bytes without using them; what comes next may follow on or not.
    void skip(const std::uint8_t* bytes, std::size_t count);
    //! Takes bytes. The first group gets the number nearest to `expected` that agrees
    //! with its counter. The last whole group waits for the one behind it, and the first
    //! ones for each other.
    void feed(const std::uint8_t* bytes,
              std::size_t count,
              std::uint64_t expected,
              const sink& to);
    //! The connection has ended: hands over the groups that were waiting.
    void finish(std::uint64_t expected, const sink& to);

    //! Number after the newest group, 0 before the first.
    std::uint64_t head() const { return d_following ? d_last + 1 : 0; }
    //! All groups to come are this number further on: their counters have turned unseen.
    void shift(std::int64_t groups) { d_last += static_cast<std::uint64_t>(groups); }
    //! Groups whose counters made no sense, so far.
    std::uint64_t unsound() const { return d_unsound; }

private:
    void follow(const std::uint8_t* group,
                const std::uint8_t* after,
                std::uint64_t expected,
                const sink& to);
    void doubt(std::uint16_t counter, const std::uint8_t* group);
    void believe(std::uint64_t expected, const sink& to);

    std::vector<std::uint8_t> d_bytes; // not used yet
    std::vector<std::uint8_t>
        d_doubted; // groups in a row that have jumped, unsound so far
    bool d_following = false;
    std::uint64_t d_last = 0; // number of the last group
    std::uint64_t d_unsound = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_GROUP_FOLLOWER_H */
