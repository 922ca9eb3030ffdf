/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/frames_in_order.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

// The most pieces that the system copies in one call, and what a frame has of them: a header,
// samples, and on either side of those some that are not wanted.
constexpr std::size_t max_pieces = 1024, frame_pieces = 4;

// Memory that each thread that reads keeps.
struct kept_memory {
    std::vector<iovec> pieces;
    std::vector<std::uint8_t> headers, unwanted;
};

kept_memory& memory()
{
    static thread_local kept_memory of_thread;
    return of_thread;
}

} // namespace

frames_in_order::frames_in_order(const framed_recording& from, const block_place& to)
    : d_from(from),
      d_to(to),
      d_threads(from.d_threads.size()),
      d_first_frame(to.first / from.d_frame_samples),
      d_frames(((to.first + to.count - 1) / from.d_frame_samples - d_first_frame + 1) *
               d_threads),
      d_pieces(memory().pieces)
{
    const auto known = from.known_before(d_first_frame);
    d_offset = known.offset +
               (d_first_frame - known.frame) * d_threads * from.d_layout.frame_bytes;
}

framed_recording::known_place frames_in_order::last() const
{
    return {d_first_frame + d_frames / d_threads - 1,
            d_offset + (d_frames - d_threads) * d_from.d_layout.frame_bytes};
}

bool frames_in_order::read()
{
    if (d_from.d_turns.empty())
        return false;
    for (std::uint64_t n = 0; n < d_frames; n += max_pieces / frame_pieces) {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(max_pieces / frame_pieces, d_frames - n));
        if (!read_frames(n, count))
            return false;
    }
    return ends_well();
}

void frames_in_order::add(void* at, std::size_t bytes)
{
    if (bytes > 0)
        d_pieces.push_back({at, bytes});
}

// Frames first ... first + count - 1 of those of the block.
bool frames_in_order::read_frames(std::uint64_t first, std::size_t count)
{
    const frame_layout& layout = d_from.d_layout;
    const std::size_t bits = d_from.d_sample_bits;
    auto& headers = memory().headers;
    auto& unwanted = memory().unwanted;
    headers.resize(count * layout.header_bytes);
    unwanted.resize(layout.frame_bytes);
    d_pieces.clear();
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t n = first + k;
        const std::uint64_t start =
            (d_first_frame + n / d_threads) * d_from.d_frame_samples;
        const std::uint64_t from = std::max(start, d_to.first);
        const std::uint64_t to =
            std::min(start + d_from.d_frame_samples, d_to.first + d_to.count);
        const std::size_t row = d_from.d_turns[n % d_threads];
        add(headers.data() + k * layout.header_bytes, layout.header_bytes);
        add(unwanted.data(), (from - start) * bits / 8);
        add(d_to.out + row * d_to.row_bytes + (from - d_to.first) * bits / 8,
            (to - from) * bits / 8);
        add(unwanted.data(), (start + d_from.d_frame_samples - to) * bits / 8);
    }
    if (!d_from.d_file.read(d_offset + first * layout.frame_bytes, d_pieces))
        return false;
    for (std::size_t k = 0; k < count; ++k) {
        if (!is_due(first + k, headers.data() + k * layout.header_bytes))
            return false;
    }
    return true;
}

bool frames_in_order::is_due(std::uint64_t frame, const std::uint8_t* raw) const
{
    frame_header header;
    return d_from.d_layout.parse(raw, header) && !header.invalid &&
           header.thread == d_from.d_threads[d_from.d_turns[frame % d_threads]] &&
           d_from.index(header) ==
               static_cast<std::int64_t>(d_first_frame + frame / d_threads);
}

// A frame that is followed by another, or by the end of the file, is whole.
bool frames_in_order::ends_well() const
{
    const std::uint64_t end = d_offset + d_frames * d_from.d_layout.frame_bytes;
    auto& raw = memory().headers;
    raw.resize(d_from.d_layout.header_bytes);
    if (end + raw.size() > d_from.d_file.size())
        return true;
    d_from.d_file.read(end, raw.data(), raw.size());
    frame_header header;
    return d_from.d_layout.parse(raw.data(), header);
}

} // namespace gr::fringe::io
