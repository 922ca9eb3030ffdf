/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/framed_block.h"
#include "io/recordings/zero_bytes.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::io {

namespace {

// Frames up to this size are read many at once; a call of the system for each larger one
// costs nothing, and saves a copy.
constexpr std::size_t small_frame = file_window::capacity / 8;

// Each thread that reads keeps the memory of its window: to map it anew for every block
// would cost as much as to fill it.
std::vector<std::uint8_t>& window_memory()
{
    static thread_local std::vector<std::uint8_t> memory;
    return memory;
}

} // namespace

framed_block::framed_block(const framed_recording& from, const block_place& to)
    : d_from(from),
      d_first(to.first),
      d_count(to.count),
      d_out(to.out),
      d_row_bytes(to.row_bytes),
      d_first_frame(static_cast<std::int64_t>(to.first / from.d_frame_samples)),
      d_last_frame(
          static_cast<std::int64_t>((to.first + to.count - 1) / from.d_frame_samples)),
      d_received((d_last_frame - d_first_frame + 1) * from.d_threads.size()),
      d_begin(from.offset_for(to.first / from.d_frame_samples)),
      d_window(from.d_file,
               d_begin + d_received.size() * from.d_layout.frame_bytes,
               window_memory())
{
}

// The frame at f.offset, where one is due, or the first one from search_from on.
bool framed_block::next(frame& f, std::uint64_t search_from)
{
    const frame_layout& layout = d_from.d_layout;
    const std::size_t whole =
        layout.frame_bytes <= small_frame &&
                f.offset + layout.frame_bytes <= d_from.d_file.size()
            ? layout.frame_bytes
            : layout.header_bytes;
    const std::uint8_t* raw = d_window.at(f.offset, whole);
    return (raw && layout.parse(raw, f.header)) ||
           d_from.find_frame(f.offset, f.header, search_from);
}

// Null for a frame of another time, or of a thread that is none.
framed_block::received* framed_block::place_of(const frame_header& header)
{
    const auto& threads = d_from.d_threads;
    const std::int64_t at = d_from.index(header);
    const auto thread = std::lower_bound(threads.begin(), threads.end(), header.thread);
    if (at < d_first_frame || at > d_last_frame || thread == threads.end() ||
        *thread != header.thread)
        return nullptr;
    return &d_received[(at - d_first_frame) * threads.size() +
                       (thread - threads.begin())];
}

// Copies what of a frame belongs into the block.
framed_block::received framed_block::put(const frame& f, const received* place)
{
    if (f.header.invalid)
        return {0, loss::invalid};
    const auto n = static_cast<std::size_t>(place - d_received.data());
    const std::size_t threads = d_from.d_threads.size(), bits = d_from.d_sample_bits;
    const std::uint64_t start = (d_first_frame + n / threads) * d_from.d_frame_samples;
    const std::size_t samples = d_from.samples_at(f.offset);
    const std::uint64_t from = std::max(start, d_first);
    const std::uint64_t to = std::min(start + samples, d_first + d_count);
    if (from < to) {
        const std::uint64_t at =
            f.offset + d_from.d_layout.header_bytes + (from - start) * bits / 8;
        const auto bytes = static_cast<std::size_t>((to - from) * bits / 8);
        std::uint8_t* out =
            d_out + n % threads * d_row_bytes + (from - d_first) * bits / 8;
        if (d_from.d_layout.frame_bytes > small_frame)
            d_from.d_file.read(at, out, bytes);
        else
            std::memcpy(out, d_window.at(at, bytes), bytes);
    }
    return {samples, loss::missing};
}

framed_recording::known_place framed_block::read()
{
    frame f{d_begin, {}};
    std::uint64_t later = d_from.d_file.size(), due = f.offset, search_from = f.offset;
    received* before = nullptr;
    // Damaged headers say any time, so one frame that is late does not end the search.
    for (std::size_t late = 0; late < d_from.max_late() && next(f, search_from);
         f.offset = due) {
        // A frame that the next one cuts short has lost bytes anywhere.
        if (f.offset < due && before)
            *before = {};
        due = f.offset + d_from.d_layout.frame_bytes;
        search_from = f.offset + d_from.d_layout.header_bytes;
        const std::int64_t at = d_from.index(f.header);
        if (at >= d_last_frame)
            later = std::min(later, f.offset);
        late = at > d_last_frame ? late + 1 : 0;
        before = place_of(f.header);
        if (before)
            *before = put(f, before);
    }
    return {static_cast<std::uint64_t>(d_last_frame), later};
}

// use(first sample, number of samples, cause) for what of a thread is not there, from the
// start of the block.
template <class F>
void framed_block::for_each_lost(std::size_t thread, const F& use) const
{
    const std::size_t threads = d_from.d_threads.size(), length = d_from.d_frame_samples;
    for (std::size_t k = thread; k < d_received.size(); k += threads) {
        const received& r = d_received[k];
        const std::uint64_t start = (d_first_frame + k / threads) * length;
        const std::uint64_t from = std::max(start + r.samples, d_first);
        const std::uint64_t to = std::min(start + length, d_first + d_count);
        if (from < to)
            use(from - d_first, to - from, r.cause);
    }
}

void framed_block::fill_lost() const
{
    const std::size_t bits = d_from.d_sample_bits;
    for (std::size_t t = 0; t < d_from.d_threads.size(); ++t) {
        std::uint8_t* part = d_out + t * d_row_bytes;
        for_each_lost(t, [&](std::uint64_t first, std::uint64_t count, loss) {
            fill_with_zero(
                d_from.d_info.encoding, part + first * bits / 8, count * bits / 8);
        });
    }
}

void framed_block::tell_lost(std::vector<lost_samples>& lost) const
{
    const std::size_t channels = d_from.d_layout.channels;
    for (std::size_t t = 0; t < d_from.d_threads.size(); ++t) {
        std::vector<lost_samples> runs;
        for_each_lost(t, [&](std::uint64_t first, std::uint64_t count, loss cause) {
            if (!runs.empty() && runs.back().cause == cause &&
                runs.back().first + runs.back().count == first)
                runs.back().count += count;
            else
                runs.push_back({0, first, count, cause});
        });
        for (std::size_t c = 0; c < channels; ++c) {
            for (lost_samples run : runs) {
                run.stream = t * channels + c;
                lost.push_back(run);
            }
        }
    }
}

} // namespace gr::fringe::io
