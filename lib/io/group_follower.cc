/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/group_follower.h"
#include "io/mwa32t_group.h"

namespace gr {
namespace fringe {
namespace io {

namespace {

// A counter that goes up by more needs the next group's word for it.
constexpr std::uint64_t far = 2000;

} // namespace

void group_follower::restart()
{
    d_bytes.clear();
    d_following = false;
}

void group_follower::skip(const std::uint8_t* bytes, std::size_t count)
{
    d_bytes.insert(d_bytes.end(), bytes, bytes + count);
    const std::size_t whole = d_bytes.size() / mwa32t::group_bytes * mwa32t::group_bytes;
    d_bytes.erase(d_bytes.begin(), d_bytes.begin() + static_cast<std::ptrdiff_t>(whole));
    d_following = false;
}

void group_follower::feed(const std::uint8_t* bytes,
                          std::size_t count,
                          std::uint64_t expected,
                          const sink& to)
{
    d_bytes.insert(d_bytes.end(), bytes, bytes + count);
    std::size_t at = 0;
    for (; at + 2 * mwa32t::group_bytes <= d_bytes.size(); at += mwa32t::group_bytes) {
        follow(&d_bytes[at], &d_bytes[at + mwa32t::group_bytes], expected, to);
    }
    d_bytes.erase(d_bytes.begin(), d_bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

void group_follower::finish(const sink& to)
{
    if (d_following && d_bytes.size() >= mwa32t::group_bytes) {
        follow(d_bytes.data(), nullptr, d_last + 1, to);
    }
    restart();
}

void group_follower::follow(const std::uint8_t* group,
                            const std::uint8_t* after,
                            std::uint64_t expected,
                            const sink& to)
{
    const auto last = static_cast<std::uint16_t>(d_last);
    std::uint16_t counter = mwa32t::word_at(group);
    if (d_following && after) {
        counter = mwa32t::counter_between(last, counter, mwa32t::word_at(after));
    }
    const bool near = d_following && mwa32t::steps(last, counter) <= far;
    const bool confirmed = after && mwa32t::steps(counter, mwa32t::word_at(after)) <= far;
    if (!near && !confirmed) {
        ++d_unsound;
        return;
    }
    d_last = d_following ? d_last + mwa32t::steps(last, counter)
                         : expected + static_cast<std::int16_t>(
                                          counter - static_cast<std::uint16_t>(expected));
    d_following = true;
    to(d_last, group + 2);
}

} // namespace io
} // namespace fringe
} // namespace gr
