/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/framed_recording.h"
#include "io/recordings/framed_block.h"
#include "io/recordings/frames_in_order.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>

namespace gr::fringe::io {

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
    return static_cast<std::size_t>(samples / d_info.granule * d_info.granule);
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
    const std::uint64_t offset = from * d_layout.frame_bytes;
    return offset - std::min(offset, out_of_order());
}

// The place nearest to a frame where some reader has ended.
framed_recording::known_place framed_recording::known_before(std::uint64_t frame) const
{
    known_place from{0, 0};
    std::lock_guard<std::mutex> lock(d_places_mutex);
    for (const known_place& p : d_places) {
        if (p.frame <= frame && p.frame >= from.frame)
            from = p;
    }
    return from;
}

// Where frames from `frame` on lie, none of them before: behind the place where some
// reader has ended, as far as frames follow closely, or by bisection.
std::uint64_t framed_recording::offset_for(std::uint64_t frame) const
{
    constexpr std::uint64_t near = 64;
    const known_place from = known_before(frame);
    if (frame - from.frame < near)
        return from.offset;
    const auto is_before = [&](const frame_header& h) {
        return index(h) + 1 < static_cast<std::int64_t>(frame);
    };
    const std::uint64_t group = d_threads.size() * d_layout.frame_bytes;
    const std::uint64_t guess = from.offset + (frame - from.frame - 2) * group;
    std::vector<std::uint8_t> raw(d_layout.header_bytes);
    frame_header header;
    if (guess + raw.size() <= d_file.size()) {
        d_file.read(guess, raw.data(), raw.size());
        if (d_layout.parse(raw.data(), header) && is_before(header) &&
            index(header) + static_cast<std::int64_t>(near) >=
                static_cast<std::int64_t>(frame))
            return guess - out_of_order();
    }
    return first_where([&](const frame_header& h) { return !is_before(h); });
}

// Frames lie in order up to a few: those around the place of the due one say what is missing.
sample_range framed_recording::gap_at(std::uint64_t sample) const
{
    const auto frame = static_cast<std::int64_t>(sample / d_frame_samples);
    const auto all = static_cast<std::int64_t>(d_info.samples / d_frame_samples);
    std::int64_t before = -1, after = all;
    frame_header header;
    // Nearly always the frame is where it is due, close to where readers have ended.
    std::uint64_t offset = offset_for(static_cast<std::uint64_t>(frame));
    for (std::uint64_t k = 0; k <= 2 * max_late() && find_frame(offset, header, offset);
         ++k, offset += d_layout.frame_bytes) {
        if (index(header) == frame)
            return {sample, sample};
    }
    offset = first_where([&](const frame_header& h) { return index(h) >= frame; });
    for (std::uint64_t later = 0;
         later < max_late() && find_frame(offset, header, offset);
         offset += d_layout.frame_bytes) {
        const std::int64_t at = index(header);
        if (at >= 0 && at < frame)
            before = std::max(before, at);
        else if (at >= frame && at < all) {
            after = std::min(after, at);
            ++later;
        }
    }
    if (after == frame)
        return {sample, sample};
    const auto begin = static_cast<std::uint64_t>(before + 1) * d_frame_samples;
    return {begin,
            after < all ? static_cast<std::uint64_t>(after) * d_frame_samples
                        : d_info.samples};
}

void framed_recording::remember(const known_place& p) const
{
    constexpr std::size_t maximum = 64;
    std::lock_guard<std::mutex> lock(d_places_mutex);
    d_places.push_back(p);
    if (d_places.size() > maximum)
        d_places.pop_front();
}

void framed_recording::read(std::uint64_t first,
                            std::size_t count,
                            std::uint8_t* out,
                            std::vector<lost_samples>* lost) const
{
    std::vector<lost_samples> none;
    read_rows(first, count, out, count * d_sample_bits / 8, lost ? *lost : none);
}

// Where frames were not as they were due some times, that is no longer tried every time.
bool framed_recording::read_rows(std::uint64_t first,
                                 std::size_t count,
                                 std::uint8_t* out,
                                 std::size_t row_bytes,
                                 std::vector<lost_samples>& lost) const
{
    constexpr unsigned some = 16;
    check_read(d_file.path(), d_info.samples, first, count, d_info.granule);
    if (count == 0)
        return true;
    const block_place to{first, count, out, row_bytes};
    if (d_out_of_turn < some || d_out_of_turn % some == 0) {
        frames_in_order frames(*this, to);
        if (frames.read()) {
            d_out_of_turn = 0;
            remember(frames.last());
            return true;
        }
    }
    ++d_out_of_turn;
    framed_block block(*this, to);
    remember(block.read());
    block.fill_lost();
    block.tell_lost(lost);
    return true;
}

} // namespace gr::fringe::io
