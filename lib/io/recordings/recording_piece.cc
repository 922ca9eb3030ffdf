/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_piece.h"
#include "io/recordings/zero_bytes.h"
#include <algorithm>

namespace gr::fringe::io {

recording_piece::recording_piece(const recording& from,
                                 const recording_format& format,
                                 std::size_t block)
    : d_from(from),
      d_granule(granule_of(format, from.info())),
      d_block(block),
      d_order(format.high_bits_first ? bit_order::high_first : bit_order::low_first)
{
    const recording_info& info = from.info();
    d_rows = format.stream_major ? info.streams : info.parts;
    const kernels::encoding& encoding = encoding_of(format, info);
    d_encoding = encoding.name;
    d_bits = encoding.bits * (info.streams / d_rows);
    d_row_bytes = d_bits * block / 8;
}

// Where the recording can put its samples into the block itself.
bool recording_piece::is_readable_at_once(std::uint64_t first,
                                          std::size_t count,
                                          std::size_t at) const
{
    return first % d_granule == 0 && count % d_granule == 0 && at * d_bits % 8 == 0 &&
           (d_rows == 1 || count == d_block);
}

// Where it can put them into several rows.
bool recording_piece::read_rows(std::uint64_t first,
                                std::size_t count,
                                std::size_t at,
                                std::uint8_t* block,
                                std::vector<lost_samples>& lost) const
{
    return first % d_granule == 0 && count % d_granule == 0 && at * d_bits % 8 == 0 &&
           d_bits * d_block % 8 == 0 &&
           d_from.read_rows(first, count, block + at * d_bits / 8, d_row_bytes, lost);
}

void recording_piece::read(std::uint64_t first,
                           std::size_t count,
                           std::size_t at,
                           std::uint8_t* block,
                           std::vector<lost_samples>& lost) const
{
    if (count == 0)
        return;
    const std::size_t known = lost.size();
    std::uint64_t skipped = 0; // samples in front of the first one that were read, too
    if (is_readable_at_once(first, count, at)) {
        d_from.read(first, count, block + at * d_bits / 8, &lost);
    } else if (!read_rows(first, count, at, block, lost)) {
        skipped = first % d_granule;
        const auto whole = static_cast<std::size_t>((skipped + count + d_granule - 1) /
                                                    d_granule * d_granule);
        const std::size_t row = whole * d_bits / 8;
        static thread_local std::vector<std::uint8_t> samples;
        samples.resize(d_rows * row);
        d_from.read(first - skipped, whole, samples.data(), &lost);
        for (std::size_t r = 0; r < d_rows; ++r)
            copy_bits(samples.data() + r * row,
                      static_cast<std::size_t>(skipped) * d_bits,
                      block + r * d_row_bytes,
                      at * d_bits,
                      count * d_bits,
                      d_order);
    }
    auto kept = lost.begin() + static_cast<std::ptrdiff_t>(known);
    for (auto run = kept; run != lost.end(); ++run) {
        const std::uint64_t from = std::max(run->first, skipped);
        const std::uint64_t to = std::min(run->first + run->count, skipped + count);
        if (from < to)
            *kept++ = {run->stream, at + from - skipped, to - from, run->cause};
    }
    lost.erase(kept, lost.end());
}

void recording_piece::clear(std::size_t at, std::size_t count, std::uint8_t* block) const
{
    for (std::size_t r = 0; r < d_rows; ++r)
        clear_bits(block + r * d_row_bytes, at * d_bits, count * d_bits, d_order);
}

void recording_piece::fill_lost(std::size_t at,
                                std::size_t count,
                                std::uint8_t* block) const
{
    const std::size_t begin = at * d_bits / 8, end = ((at + count) * d_bits + 7) / 8;
    for (std::size_t r = 0; r < d_rows; ++r)
        fill_with_zero(d_encoding, block + r * d_row_bytes + begin, end - begin);
}

} // namespace gr::fringe::io
