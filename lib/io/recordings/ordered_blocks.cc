/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/ordered_blocks.h"
#include <algorithm>

namespace gr::fringe::io {

ordered_blocks::ordered_blocks(const recording_set& from,
                               const sizes& of,
                               std::uint64_t total,
                               bool repeat)
    : d_from(from), d_sizes(of), d_total(total), d_repeat(repeat)
{
}

void ordered_blocks::start(unsigned threads)
{
    d_reader = std::make_unique<block_reader>(d_from, d_sizes.item_samples, threads);
    d_begun = d_taken;
}

void ordered_blocks::stop() { d_reader.reset(); }

std::size_t ordered_blocks::samples_at(std::uint64_t position) const
{
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(d_sizes.item_samples, d_total - position));
}

// The end of a recording that is repeated is its start; its gaps are read every time.
std::uint64_t ordered_blocks::after(std::uint64_t position) const
{
    const std::uint64_t next = position + samples_at(position);
    if (d_repeat)
        return next == d_total ? 0 : next;
    return next % d_sizes.block_samples != 0
               ? next
               : d_from.behind_gap(next, d_sizes.block_samples, d_total);
}

void ordered_blocks::begin(std::uint8_t* first, std::size_t places)
{
    while (d_reader->size() < places && d_begun < d_total) {
        d_reader->begin(
            d_begun, samples_at(d_begun), first + d_reader->size() * d_sizes.item_bytes);
        d_begun = after(d_begun);
    }
}

ordered_blocks::item ordered_blocks::take(std::vector<lost_samples>& lost)
{
    lost = d_reader->next();
    const std::size_t samples = samples_at(d_taken);
    const std::uint64_t end = d_taken + samples;
    d_taken = after(d_taken);
    return {samples, end == d_total && end % d_sizes.block_samples != 0};
}

} // namespace gr::fringe::io
