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

namespace gr {
namespace fringe {
namespace io {

/*!
 * Cuts the bytes of one MWA-32T receiver into groups and follows their counters: a 16-bit
 * counter becomes a number that never wraps.
 *
 * A group that jumps far counts only if the one after it agrees, so a damaged counter
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
    //! with its counter. The last whole group waits for the one behind it.
    void feed(const std::uint8_t* bytes,
              std::size_t count,
              std::uint64_t expected,
              const sink& to);
    //! The connection has ended: hands over the group that was waiting.
    void finish(const sink& to);

    //! Groups whose counters made no sense, so far.
    std::uint64_t unsound() const { return d_unsound; }

private:
    void follow(const std::uint8_t* group,
                const std::uint8_t* after,
                std::uint64_t expected,
                const sink& to);

    std::vector<std::uint8_t> d_bytes; // not used yet
    bool d_following = false;
    std::uint64_t d_last = 0; // number of the last group
    std::uint64_t d_unsound = 0;
};

} // namespace io
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_IO_GROUP_FOLLOWER_H */
