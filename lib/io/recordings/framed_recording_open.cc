/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What is found out about a file of frames when it is opened: its threads, frame rate,
// first and last instant, all from frames at its start, its end and at a few seconds.
#include "io/recordings/framed_recording.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace gr::fringe::io {

namespace {

constexpr std::size_t frames_for_threads = 4096;
// A thread with fewer frames than this part of the fullest one's is a damaged header.
constexpr std::size_t thread_part = 100;
// Seconds behind which frames at the start or the end say that their header is damaged.
constexpr std::uint64_t far_off = 60;
constexpr std::uint64_t seconds_for_rate = 256;

template <class Frames>
std::uint64_t median_second(const Frames& frames)
{
    std::vector<std::uint64_t> seconds;
    for (const auto& f : frames)
        seconds.push_back(f.header.second);
    std::nth_element(
        seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    return seconds[seconds.size() / 2];
}

std::string instant(std::uint64_t second)
{
    epoch t;
    t.seconds = second;
    return t.iso(0);
}

// The second of the last frames, also where it has begun with few of them. One frame whose
// number does not begin again has a damaged header.
template <class Frames>
std::uint64_t last_second(const Frames& frames)
{
    const std::uint64_t median = median_second(frames);
    std::uint32_t greatest = 0;
    std::map<std::uint64_t, std::size_t> seen;
    for (const auto& f : frames) {
        ++seen[f.header.second];
        if (f.header.second == median)
            greatest = std::max(greatest, f.header.number);
    }
    std::uint64_t last = median;
    for (const auto& f : frames) {
        const std::uint64_t second = f.header.second;
        const bool begins = second == median + 1 && f.header.number < greatest;
        if (second <= median + far_off && (begins || seen[second] > 1))
            last = std::max(last, second);
    }
    return last;
}

// The rate that files of the same recorder have, where this one does not say any.
frame_layout with_rate(frame_layout layout, const recording_hints& hints)
{
    const std::size_t bits = encoding_by_name(layout.encoding).bits * layout.channels;
    const double rate =
        hints.sample_rate * static_cast<double>(bits) /
        static_cast<double>(8 * (layout.frame_bytes - layout.header_bytes));
    if (layout.frame_rate == 0 && rate < 1e12)
        layout.frame_rate = static_cast<std::uint64_t>(std::llround(rate));
    return layout;
}

bool before(const frame_header& a, const frame_header& b)
{
    return a.second != b.second ? a.second < b.second : a.number < b.number;
}

} // namespace

framed_recording::framed_recording(const std::string& path,
                                   const recording_hints& hints,
                                   const frame_layout& layout)
    : d_file(path), d_layout(with_rate(layout, hints))
{
    d_sample_bits = encoding_by_name(layout.encoding).bits * layout.channels;
    const std::size_t data_bits = 8 * (layout.frame_bytes - layout.header_bytes);
    if (data_bits % d_sample_bits != 0)
        throw std::invalid_argument(path + ": frames of " + std::to_string(data_bits) +
                                    " bits do not hold a whole number of samples of " +
                                    std::to_string(d_sample_bits) + " bits (" +
                                    std::to_string(layout.channels) + " channels)");
    d_frame_samples = data_bits / d_sample_bits;
    d_info.granule = d_sample_bits % 8 == 0 ? 1 : granule;

    auto start = frames_from(0, frames_for_threads);
    if (start.empty())
        throw damaged_recording(path + ": no frame header in its " +
                                std::to_string(d_file.size()) + " bytes");
    find_threads(start);
    refuse_joined(start);
    find_disorder(start);
    find_turns();
    const auto some =
        static_cast<std::size_t>(std::max<std::uint64_t>(16, 2 * max_late()));
    start.resize(std::min(start.size(), some));
    const auto end = last_frames(some);
    const std::uint64_t second = median_second(start);
    d_start = start[0].header;
    bool found = false;
    for (const auto& f : start) {
        if (f.header.second + far_off >= second &&
            (!found || before(f.header, d_start))) {
            d_start = f.header;
            found = true;
        }
    }
    find_rate(start, end);
    refuse_joined(end);
    find_extent(start, end);
    refuse_joined_within();
    describe(hints);
}

std::vector<framed_recording::placed_frame>
framed_recording::frames_from(std::uint64_t offset, std::size_t count) const
{
    std::vector<placed_frame> frames;
    placed_frame f{offset, {}};
    std::uint64_t search_from = offset;
    while (frames.size() < count && find_frame(f.offset, f.header, search_from)) {
        frames.push_back(f);
        search_from = f.offset + d_layout.header_bytes;
        f.offset += d_layout.frame_bytes;
    }
    return frames;
}

std::vector<framed_recording::placed_frame>
framed_recording::last_frames(std::size_t count) const
{
    // Behind damage at the end there may be fewer frames than would fit: go further back.
    for (std::uint64_t back = count + 1;; back *= 4) {
        const std::uint64_t bytes = back * d_layout.frame_bytes;
        const std::uint64_t from = d_file.size() - std::min(bytes, d_file.size());
        auto frames = frames_from(from, static_cast<std::size_t>(back) + 1);
        if (frames.size() >= count || from == 0)
            return frames;
    }
}

void framed_recording::find_threads(const std::vector<placed_frame>& frames)
{
    std::map<unsigned, std::size_t> counts;
    std::size_t maximum = 0;
    for (const placed_frame& f : frames)
        maximum = std::max(maximum, ++counts[f.header.thread]);
    for (const auto& c : counts) {
        if (c.second * thread_part >= maximum)
            d_threads.push_back(c.first);
    }
}

void framed_recording::find_turns()
{
    const auto first = frames_from(0, d_threads.size());
    for (std::size_t k = 0; k < first.size(); ++k) {
        const auto& f = first[k];
        const auto thread =
            std::lower_bound(d_threads.begin(), d_threads.end(), f.header.thread);
        d_turns.push_back(static_cast<std::size_t>(thread - d_threads.begin()));
        const bool in_turn = f.offset == k * d_layout.frame_bytes &&
                             !before(first[0].header, f.header) &&
                             !before(f.header, first[0].header) &&
                             thread != d_threads.end() && *thread == f.header.thread &&
                             std::count(d_turns.begin(), d_turns.end(), d_turns[k]) == 1;
        if (!in_turn) {
            d_turns.clear();
            return;
        }
    }
    if (d_turns.size() != d_threads.size())
        d_turns.clear();
}

// How far frames are from where their time would have them. Few headers are damaged: those
// that are further off than nearly all others do not count.
void framed_recording::find_disorder(std::vector<placed_frame> frames)
{
    std::stable_sort(frames.begin(), frames.end(), [](const auto& a, const auto& b) {
        return before(a.header, b.header);
    });
    std::vector<std::uint64_t> places, off;
    for (const placed_frame& f : frames)
        places.push_back(f.offset);
    std::sort(places.begin(), places.end());
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const auto at = std::lower_bound(places.begin(), places.end(), frames[k].offset);
        off.push_back(static_cast<std::uint64_t>(
            std::abs(at - places.begin() - static_cast<std::ptrdiff_t>(k))));
    }
    const auto quantile = off.begin() + static_cast<std::ptrdiff_t>(off.size() * 49 / 50);
    std::nth_element(off.begin(), quantile, off.end());
    d_disorder = 2 * *quantile;
}

// The numbers of the frames start again with every second, so the greatest one tells how
// many there are. The header's word goes before that, unless frames contradict it: some
// recorders give the rate of complex samples, some that of real ones.
void framed_recording::find_rate(const std::vector<placed_frame>& start,
                                 const std::vector<placed_frame>& end)
{
    std::uint64_t counted = 0;
    std::size_t beyond = 0, greatest = 0;
    const auto count = [&](const std::vector<placed_frame>& frames) {
        for (const placed_frame& f : frames) {
            const std::uint64_t n = f.header.number + 1ull;
            greatest = n > counted ? 1 : greatest + (n == counted);
            counted = std::max(counted, n);
            beyond += n > d_layout.frame_rate;
        }
    };
    count(start);
    count(end);
    const std::uint64_t last = std::max(last_second(start), last_second(end));
    std::uint64_t turns = 0;
    for (std::uint64_t s = d_start.second; s < last && turns < seconds_for_rate; ++s) {
        const std::uint64_t behind =
            first_where([&](const frame_header& h) { return h.second > s; });
        count(frames_from(behind, static_cast<std::size_t>(2 * max_late())));
        ++turns;
    }
    const bool half = turns > 0 && counted >= 8 && 2 * counted == d_layout.frame_rate;
    if (d_layout.frame_rate > 0 && beyond < 2 && !half) {
        d_rate = d_layout.frame_rate;
        return;
    }
    // A thread's last frame of a second is seen as often as seconds end, if none is lost.
    d_rate = turns > 0 ? counted : 0;
    d_rate_is_sure = 2 * greatest >= turns * d_threads.size();
}

void framed_recording::find_extent(const std::vector<placed_frame>& start,
                                   const std::vector<placed_frame>& end)
{
    refuse_ending_before_start(end);
    for (const auto* frames : {&start, &end}) {
        const std::uint64_t second = median_second(*frames);
        for (const placed_frame& f : *frames) {
            const std::int64_t at = index(f.header);
            const std::size_t samples = samples_at(f.offset);
            if (f.header.second > second + far_off || at < 0 || samples == 0)
                continue;
            const auto number = static_cast<std::uint64_t>(at);
            samples_claimed(d_file.path(),
                            "its last frame, of " + instant(f.header.second) + ",",
                            number,
                            d_frame_samples * d_threads.size());
            d_info.samples = std::max(d_info.samples, number * d_frame_samples + samples);
        }
    }
    d_info.samples = d_info.samples / d_info.granule * d_info.granule;
    if (d_info.samples == 0)
        throw damaged_recording(d_file.path() + ": truncated: holds a frame header and " +
                                std::to_string(d_file.size() - d_layout.header_bytes) +
                                " bytes of samples");
}

// One frame may have a damaged header.
void framed_recording::refuse_ending_before_start(
    const std::vector<placed_frame>& end) const
{
    const auto is_earlier = [&](const placed_frame& f) { return index(f.header) < 0; };
    const auto earlier = std::count_if(end.begin(), end.end(), is_earlier);
    if (earlier >= 2 || earlier == static_cast<std::ptrdiff_t>(end.size()))
        say_joined({0, d_start}, *std::find_if(end.begin(), end.end(), is_earlier));
}

void framed_recording::describe(const recording_hints& hints)
{
    d_info.encoding = d_layout.encoding;
    d_info.telescope = d_layout.telescope;
    d_info.inverted = d_layout.inverted;
    d_info.parts = d_threads.size();
    d_info.streams = d_threads.size() * d_layout.channels;
    if (hints.streams != 0 && hints.streams != d_info.streams)
        throw std::invalid_argument(
            d_file.path() + ": holds " + std::to_string(d_info.streams) + " streams (" +
            std::to_string(d_threads.size()) + " threads of " +
            std::to_string(d_layout.channels) + " channels), not the " +
            std::to_string(hints.streams) + " inputs that were given");
    d_info.sample_rate =
        static_cast<double>(d_rate) * static_cast<double>(d_frame_samples);
    d_info.start_time.seconds = d_start.second;
    d_info.has_start_time = d_rate > 0 || d_start.number == 0;
    if (d_rate > 0)
        d_info.start_time =
            d_info.start_time.plus_samples(d_start.number, static_cast<double>(d_rate));

    const std::uint64_t frames =
        (d_info.samples + d_frame_samples - 1) / d_frame_samples * d_threads.size();
    const std::uint64_t there =
        (d_file.size() + d_layout.frame_bytes - d_layout.header_bytes - 1) /
        d_layout.frame_bytes;
    d_info.remarks = (d_threads.size() == 1 ? "thread" : "threads");
    for (std::size_t t = 0; t < d_threads.size() && t < 8; ++t)
        d_info.remarks += " " + std::to_string(d_threads[t]);
    d_info.remarks += d_threads.size() > 8 ? " ..." : "";
    d_info.remarks += ", " + std::to_string(d_layout.channels) +
                      (d_layout.channels == 1 ? " channel" : " channels") + ", " +
                      std::to_string(d_frame_samples) + " samples a frame";
    if (frames > there) {
        d_info.missing = std::min(d_info.samples,
                                  (frames - there) * d_frame_samples / d_threads.size());
        d_info.remarks += ", " + std::to_string(frames - there) + " of " +
                          std::to_string(frames) + " frames missing";
    }
    if (d_rate > 0 && !d_rate_is_sure)
        d_info.remarks += ", " + std::to_string(d_rate) +
                          " frames a second were seen, more may have been lost";
    if (!d_info.has_start_time)
        d_info.remarks += ", starts " + std::to_string(d_start.number) +
                          " frames of unknown rate after " + d_info.start_time.iso(0);
}

} // namespace gr::fringe::io
