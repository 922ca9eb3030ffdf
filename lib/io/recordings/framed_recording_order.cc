/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Files that were joined in the wrong order: a thread's frames go back in time.
#include "io/recordings/framed_recording.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace gr::fringe::io {

namespace {

// Networks deliver frames late by as many at most; those further off would be lost.
constexpr std::ptrdiff_t max_out_of_order = 32;
// Fewer frames that are all out of place are late ones or damaged headers.
constexpr std::ptrdiff_t fewest_joined = 8;
// Seconds by which no network is late.
constexpr std::uint64_t far_off = 60;
// Places within a file where the time is looked at.
constexpr std::uint64_t places_tried = 64;

bool before(const frame_header& a, const frame_header& b)
{
    return std::tie(a.second, a.number) < std::tie(b.second, b.number);
}

std::string instant(const frame_header& header)
{
    epoch t;
    t.seconds = header.second;
    return t.iso(0) + " (frame " + std::to_string(header.number) + " of that second)";
}

} // namespace

void framed_recording::say_joined(const placed_frame& earlier,
                                  const placed_frame& later) const
{
    throw damaged_recording(
        d_file.path() + ": goes back in time, from " + instant(earlier.header) +
        " at byte " + std::to_string(earlier.offset) + " to " + instant(later.header) +
        " at byte " + std::to_string(later.offset) +
        ": are two recordings joined in the wrong order?");
}

// Frames are late where a few behind a step back in time are of before it. Where many are,
// or are of before many, something else was joined there.
void framed_recording::refuse_joined(const std::vector<placed_frame>& frames) const
{
    std::map<unsigned, std::vector<placed_frame>> threads;
    for (const placed_frame& f : frames)
        threads[f.header.thread].push_back(f);
    for (const auto& thread : threads) {
        const auto& in_order = thread.second;
        for (std::size_t k = 1; k < in_order.size(); ++k) {
            const placed_frame &last = in_order[k - 1], &next = in_order[k];
            if (!before(next.header, last.header))
                continue;
            const auto step = in_order.begin() + static_cast<std::ptrdiff_t>(k);
            const auto passed = std::count_if(in_order.begin(), step, [&](const auto& f) {
                return before(next.header, f.header);
            });
            const auto late = std::count_if(step, in_order.end(), [&](const auto& f) {
                return before(f.header, last.header);
            });
            const bool far = last.header.second > next.header.second + far_off;
            if (std::min(passed, late) >= (far ? 2 : fewest_joined) &&
                std::max(passed, late) > max_out_of_order)
                say_joined(last, next);
        }
    }
}

// The same of frames at some places within the file. Where lost bytes have moved them away
// from there, nothing is known.
void framed_recording::refuse_joined_within() const
{
    const std::uint64_t frames = d_file.size() / d_layout.frame_bytes;
    std::vector<std::uint8_t> raw(d_layout.header_bytes);
    placed_frame last{0, d_start};
    for (std::uint64_t place = 1; place < places_tried; ++place) {
        placed_frame two[2];
        bool found = true;
        for (std::uint64_t k = 0; k < 2; ++k) {
            two[k].offset = (frames * place / places_tried + k) * d_layout.frame_bytes;
            found = found && two[k].offset + raw.size() <= d_file.size();
            if (found) {
                d_file.read(two[k].offset, raw.data(), raw.size());
                found = d_layout.parse(raw.data(), two[k].header);
            }
        }
        if (!found)
            continue;
        // The times of both, so that one damaged header decides nothing.
        if (before(two[1].header, two[0].header))
            std::swap(two[0], two[1]);
        if (index(two[1].header) + static_cast<std::int64_t>(max_late()) +
                max_out_of_order <
            index(last.header))
            say_joined(last, two[1]);
        if (before(last.header, two[0].header))
            last = two[0];
    }
}

} // namespace gr::fringe::io
