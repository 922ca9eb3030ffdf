/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/framed_recording.h"
#include "io/recording_helpers.h"
#include "io/zero_bytes.h"
#include <algorithm>

namespace gr {
namespace fringe {
namespace io {

// The frame at `offset`, where one is due. Else bytes were lost or damaged, and it is the
// first one from `search_from` on.
bool framed_recording::find_frame(std::uint64_t& offset,
                                  frame_header& header,
                                  std::uint64_t search_from) const
{
    const std::size_t need = d_layout.header_bytes;
    std::vector<std::uint8_t> raw(need);
    if (offset + need <= d_file.size()) {
        d_file.read(offset, raw.data(), need);
        if (d_layout.parse(raw.data(), header))
            return true;
    }
    constexpr std::size_t window = 1u << 16;
    offset = search_from;
    while (offset + need <= d_file.size()) {
        raw.resize(static_cast<std::size_t>(
            std::min<std::uint64_t>(window + need, d_file.size() - offset)));
        d_file.read(offset, raw.data(), raw.size());
        for (std::size_t k = 0; k + need <= raw.size(); ++k) {
            if (d_layout.parse(raw.data() + k, header)) {
                offset += k;
                return true;
            }
        }
        offset += raw.size() - need + 1;
    }
    return false;
}

// The instant of a frame in frames from the first one on.
std::int64_t framed_recording::index(const frame_header& header) const
{
    return (static_cast<std::int64_t>(header.second) -
            static_cast<std::int64_t>(d_start.second)) *
               static_cast<std::int64_t>(d_rate) +
           static_cast<std::int64_t>(header.number) -
           static_cast<std::int64_t>(d_start.number);
}

// Samples of a frame that are in the file: fewer than a frame's where it was cut.
std::size_t framed_recording::samples_at(std::uint64_t offset) const
{
    const std::uint64_t left = d_file.size() - offset;
    if (left >= d_layout.frame_bytes)
        return d_frame_samples;
    const std::uint64_t samples = (left - d_layout.header_bytes) * 8 / d_sample_bits;
    return static_cast<std::size_t>(samples / granule * granule);
}

// About the first frame in the file for which `is` holds, none before it; frames are
// taken as being in order up to a few.
std::uint64_t
framed_recording::first_where(const std::function<bool(const frame_header&)>& is) const
{
    std::uint64_t from = 0, to = d_file.size() / d_layout.frame_bytes;
    while (from < to) {
        const std::uint64_t middle = (from + to) / 2;
        std::uint64_t offset = middle * d_layout.frame_bytes;
        frame_header header;
        if (!find_frame(offset, header, offset) || is(header))
            to = middle;
        else
            from = middle + 1;
    }
    const std::uint64_t back = 2 * (d_threads.size() + 1);
    return (from - std::min(from, back)) * d_layout.frame_bytes;
}

std::uint64_t framed_recording::offset_for(std::uint64_t frame) const
{
    constexpr std::uint64_t near = 64;
    if (frame >= d_cursor_frame && frame - d_cursor_frame < near)
        return d_cursor;
    return first_where([&](const frame_header& h) {
        return index(h) + 1 >= static_cast<std::int64_t>(frame);
    });
}

// Puts what a frame, whose first sample is sample `start`, has of the samples first ...
// first + count - 1 into its thread's part of the block.
void framed_recording::copy(const received& frame,
                            std::uint64_t start,
                            std::uint64_t first,
                            std::size_t count,
                            std::uint8_t* part) const
{
    const std::uint64_t from = std::max(start, first);
    const std::uint64_t to = std::min(start + frame.samples, first + count);
    if (from < to)
        d_file.read(frame.offset + d_layout.header_bytes +
                        (from - start) * d_sample_bits / 8,
                    part + (from - first) * d_sample_bits / 8,
                    static_cast<std::size_t>((to - from) * d_sample_bits / 8));
}

void framed_recording::read(std::uint64_t first,
                            std::size_t count,
                            std::uint8_t* out,
                            std::vector<lost_samples>* lost)
{
    check_read(d_file.path(), d_info.samples, first, count, granule);
    if (count == 0)
        return;
    const std::size_t threads = d_threads.size();
    const std::size_t part_bytes = count * d_sample_bits / 8;
    fill_with_zero(d_info.encoding, out, threads * part_bytes);

    const auto first_frame = static_cast<std::int64_t>(first / d_frame_samples);
    const auto last_frame =
        static_cast<std::int64_t>((first + count - 1) / d_frame_samples);
    d_received.assign((last_frame - first_frame + 1) * threads, {});
    placed_frame f;
    f.offset = offset_for(first / d_frame_samples);
    std::uint64_t cursor = d_file.size(), due = f.offset, search_from = f.offset;
    received* before = nullptr;
    // Damaged headers say any time, so one frame that is late does not end the search.
    for (std::size_t late = 0;
         late < 2 * threads + 2 && find_frame(f.offset, f.header, search_from);
         f.offset = due) {
        // A frame that the next one cuts short has lost bytes anywhere.
        if (f.offset < due && before)
            *before = {};
        due = f.offset + d_layout.frame_bytes;
        search_from = f.offset + d_layout.header_bytes;
        before = nullptr;
        const std::int64_t at = index(f.header);
        if (at >= last_frame)
            cursor = std::min(cursor, f.offset);
        late = at > last_frame ? late + 1 : 0;
        const auto thread =
            std::lower_bound(d_threads.begin(), d_threads.end(), f.header.thread);
        if (at < first_frame || at > last_frame || thread == d_threads.end() ||
            *thread != f.header.thread)
            continue;
        const auto t = static_cast<std::size_t>(thread - d_threads.begin());
        before = &d_received[(at - first_frame) * threads + t];
        before->samples = f.header.invalid ? 0 : samples_at(f.offset);
        before->cause = f.header.invalid ? loss::invalid : loss::missing;
        before->offset = f.offset;
    }
    for (std::size_t k = 0; k < d_received.size(); ++k)
        copy(d_received[k],
             (first_frame + k / threads) * d_frame_samples,
             first,
             count,
             out + k % threads * part_bytes);
    d_cursor = cursor;
    d_cursor_frame = static_cast<std::uint64_t>(last_frame);
    if (lost)
        tell_lost(first, count, *lost);
}

void framed_recording::tell_lost(std::uint64_t first,
                                 std::size_t count,
                                 std::vector<lost_samples>& lost) const
{
    const std::size_t threads = d_threads.size();
    const std::uint64_t first_frame = first / d_frame_samples;
    for (std::size_t t = 0; t < threads; ++t) {
        std::vector<lost_samples> runs;
        for (std::size_t k = t; k < d_received.size(); k += threads) {
            const received& r = d_received[k];
            const std::uint64_t start = (first_frame + k / threads) * d_frame_samples;
            const std::uint64_t from = std::max(start + r.samples, first);
            const std::uint64_t to = std::min(start + d_frame_samples, first + count);
            if (from >= to)
                continue;
            const std::uint64_t at = from - first;
            if (!runs.empty() && runs.back().cause == r.cause &&
                runs.back().first + runs.back().count == at)
                runs.back().count += to - from;
            else
                runs.push_back({0, at, to - from, r.cause});
        }
        for (std::size_t c = 0; c < d_layout.channels; ++c) {
            for (lost_samples run : runs) {
                run.stream = t * d_layout.channels + c;
                lost.push_back(run);
            }
        }
    }
}

} // namespace io
} // namespace fringe
} // namespace gr
