/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/group_buffer.h"
#include "io/recordings/mwa32t_group.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

group_buffer::group_buffer(std::size_t receivers, std::size_t block, std::size_t capacity)
    : d_block(block), d_capacity(std::max(capacity, 4 * block)), d_receivers(receivers)
{
    for (receiver& r : d_receivers) {
        r.data.resize(d_capacity * mwa32t::sample_bytes);
        r.filled.assign(d_capacity, 0);
    }
}

std::uint64_t group_buffer::newest() const
{
    std::uint64_t n = 0;
    for (const receiver& r : d_receivers) {
        n = std::max(n, r.head);
    }
    return n;
}

// The buffer begins at group `base` from now on; what was before it is forgotten.
void group_buffer::advance(std::uint64_t base)
{
    const std::uint64_t count = std::min<std::uint64_t>(base - d_base, d_capacity);
    for (receiver& r : d_receivers) {
        for (std::uint64_t n = base - count; n < base; ++n) {
            r.filled[n % d_capacity] = 0;
        }
    }
    d_base = base;
}

bool group_buffer::room_for(receiver& r, std::uint64_t number)
{
    if (!d_begun) { // until all are there, the newest are kept
        if (number >= d_base + d_capacity) {
            advance(number - d_capacity + 1);
        }
        return number >= d_base;
    }
    const bool room = number >= d_base && number < d_base + d_capacity;
    r.dropped += room || number < d_origin ? 0 : 1;
    return room;
}

void group_buffer::put(std::size_t k, std::uint64_t number, const std::uint8_t* samples)
{
    receiver& r = d_receivers[k];
    if (r.head == 0) {
        advance(std::max(number, d_base)); // begins with the one that begins last
    }
    r.head = number + 1;
    if (!d_begun) {
        d_origin = d_base;
        d_begun = std::all_of(d_receivers.begin(),
                              d_receivers.end(),
                              [](const receiver& r) { return r.head > 0; });
    }
    if (room_for(r, number)) {
        const std::size_t slot = number % d_capacity;
        std::memcpy(&r.data[slot * mwa32t::sample_bytes], samples, mwa32t::sample_bytes);
        r.filled[slot] = 1;
    }
}

bool group_buffer::ready() const
{
    const std::uint64_t end = d_base + d_block;
    if (!d_begun || newest() < end) {
        return false;
    }
    const bool all =
        std::all_of(d_receivers.begin(), d_receivers.end(), [end](const receiver& r) {
            return !r.present || r.head >= end;
        });
    return all || newest() >= end + d_capacity / 2;
}

std::size_t group_buffer::rest() const
{
    const std::uint64_t head = newest();
    return d_begun && head > d_base
               ? static_cast<std::size_t>(std::min<std::uint64_t>(head - d_base, d_block))
               : 0;
}

void group_buffer::take(std::size_t count,
                        std::uint8_t* out,
                        std::vector<lost_samples>& lost)
{
    std::memset(out, 0, d_receivers.size() * d_block * mwa32t::sample_bytes);
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        receiver& r = d_receivers[k];
        for (std::size_t first = 0, end = 0; first < count; first = end) {
            // A run of groups that are all there or all not.
            const std::uint8_t there = r.filled[(d_base + first) % d_capacity];
            for (end = first + 1;
                 end < count && r.filled[(d_base + end) % d_capacity] == there;
                 ++end) {
            }
            if (!there) {
                r.blank += end - first;
                for (std::size_t s = 0; s < mwa32t::streams; ++s) {
                    lost.push_back(
                        {k * mwa32t::streams + s, first, end - first, loss::missing});
                }
                continue;
            }
            for (std::size_t n = first, next = 0; n < end; n = next) { // up to the wrap
                const std::size_t slot = (d_base + n) % d_capacity;
                next = std::min(end, n + d_capacity - slot);
                std::memcpy(out + (k * d_block + n) * mwa32t::sample_bytes,
                            &r.data[slot * mwa32t::sample_bytes],
                            (next - n) * mwa32t::sample_bytes);
            }
        }
    }
    advance(d_base + count);
}

std::uint64_t group_buffer::missing(std::size_t k) const
{
    const receiver& r = d_receivers[k];
    // Some that were dropped have their block still to come.
    return r.blank - std::min(r.blank, r.dropped);
}

} // namespace gr::fringe::io
