/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/waiting_tags.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>

namespace gr::fringe {

void waiting_tags::read_to(std::uint64_t end, const reader& tags_of)
{
    if (end <= d_read) {
        return;
    }
    std::vector<tag_t> found = tags_of(d_read, end);
    std::sort(found.begin(), found.end(), tag_t::offset_compare);
    std::copy_if(found.begin(),
                 found.end(),
                 std::back_inserter(d_tags),
                 [](const tag_t& t) { return !pmt::eq(t.key, tag::stream()); });
    d_read = end;
}

std::vector<tag_t> waiting_tags::next(std::uint64_t items)
{
    std::vector<tag_t> tags;
    for (; !d_tags.empty() && d_tags.front().offset < d_taken + items;
         d_tags.pop_front()) {
        tags.push_back(d_tags.front());
        tags.back().offset -= d_taken;
    }
    d_taken += items;
    return tags;
}

void waiting_tags::restart()
{
    d_read = d_taken = 0;
    d_tags.clear();
}

} // namespace gr::fringe
