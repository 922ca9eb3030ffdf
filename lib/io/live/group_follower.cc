/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/group_follower.h"
#include "io/recordings/mwa32t_group.h"

namespace gr::fringe::io {

namespace {

// Groups whose counter goes up by more than `far` need `enough` of them in a row that agree.
constexpr std::uint64_t far = 2000;
constexpr std::size_t enough = 5;

} // namespace

void group_follower::restart()
{
    d_bytes.clear();
    d_doubted.clear();
    d_following = false;
}

void group_follower::skip(const std::uint8_t* bytes, std::size_t count)
{
    d_bytes.insert(d_bytes.end(), bytes, bytes + count);
    const std::size_t whole = d_bytes.size() / mwa32t::group_bytes * mwa32t::group_bytes;
    d_bytes.erase(d_bytes.begin(), d_bytes.begin() + static_cast<std::ptrdiff_t>(whole));
    d_doubted.clear();
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

// The last groups that jumped may have too few behind them to be believed by their number, but
// they came one after the other.
void group_follower::finish(std::uint64_t expected, const sink& to)
{
    if (d_bytes.size() >= mwa32t::group_bytes) {
        follow(d_bytes.data(), nullptr, expected, to);
    }
    const std::size_t size = d_doubted.size();
    if (size >= 2 * mwa32t::group_bytes &&
        mwa32t::steps(mwa32t::word_at(&d_doubted[size - 2 * mwa32t::group_bytes]),
                      mwa32t::word_at(&d_doubted[size - mwa32t::group_bytes])) == 1) {
        believe(expected, to);
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
    if (d_following && mwa32t::steps(last, counter) <= far) {
        d_last += mwa32t::steps(last, counter);
        d_doubted.clear();
        to(d_last, group + 2);
        return;
    }
    doubt(counter, group);
    if (d_doubted.size() == enough * mwa32t::group_bytes) {
        believe(expected, to);
    }
}

// Keeps the group beside those before it that it agrees with.
void group_follower::doubt(std::uint16_t counter, const std::uint8_t* group)
{
    ++d_unsound;
    const std::size_t size = d_doubted.size();
    if (size > 0 && mwa32t::steps(mwa32t::word_at(&d_doubted[size - mwa32t::group_bytes]),
                                  counter) > far) {
        d_doubted.clear();
    }
    d_doubted.insert(d_doubted.end(), group, group + mwa32t::group_bytes);
}

// They are groups behind a loss, or the first.
void group_follower::believe(std::uint64_t expected, const sink& to)
{
    for (std::size_t at = 0; at < d_doubted.size(); at += mwa32t::group_bytes) {
        const std::uint16_t counter = mwa32t::word_at(&d_doubted[at]);
        d_last = d_following
                     ? d_last + mwa32t::steps(static_cast<std::uint16_t>(d_last), counter)
                     : expected + static_cast<std::int16_t>(
                                      counter - static_cast<std::uint16_t>(expected));
        d_following = true;
        --d_unsound;
        to(d_last, &d_doubted[at + 2]);
    }
    d_doubted.clear();
}

} // namespace gr::fringe::io
