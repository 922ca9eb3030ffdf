/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sigmf_metadata.h"
#include "io/recordings/input_file.h"
#include "io/recordings/json_object.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace fringe {
namespace io {

namespace {

constexpr std::uint64_t max_bytes = 1u << 26;
constexpr double max_channels = 65536;
// Whole numbers that a double holds.
constexpr double max_samples = 9007199254740992.0;
// Times of captures are written to a microsecond at best.
constexpr double time_resolution = 2e-6;

json_object load(const std::string& path)
{
    const input_file file(path);
    if (file.size() > max_bytes)
        throw std::invalid_argument(path + ": of " + std::to_string(file.size()) +
                                    " bytes is no SigMF metadata");
    std::string text(static_cast<std::size_t>(file.size()), ' ');
    file.read(0, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    json_object all(path, text);
    if (!all.has_object("global"))
        throw damaged_recording(path +
                                ": has no 'global' object, as SigMF metadata must");
    return all;
}

std::string encoding_name(const std::string& path, std::string type)
{
    const std::string little = "_le";
    const std::string given = type;
    if (type.size() > 3 && type.compare(type.size() - 3, 3, little) == 0)
        type.resize(type.size() - 3);
    const std::pair<const char*, const char*> known[] = {{"cf32", "cf32"},
                                                         {"ci16", "ci16"},
                                                         {"cu16", "cu16"},
                                                         {"ci8", "ci8"},
                                                         {"cu8", "cu8"},
                                                         {"rf32", "f32"},
                                                         {"ri16", "i16"},
                                                         {"ru16", "u16"},
                                                         {"ri8", "i8"},
                                                         {"ru8", "u8"}};
    std::string names;
    for (const auto& k : known) {
        const bool bytes = std::string(k.first).back() == '8';
        if (type == k.first && (bytes || type != given))
            return k.second;
        names += (names.empty() ? "" : ", ") + (k.first + (bytes ? "" : little));
    }
    throw std::invalid_argument(path + ": core:datatype '" + given + "'; " + names +
                                " can be read");
}

//! What a capture says of its time.
struct capture {
    std::uint64_t in_file = 0;
    bool has_index = false;
    std::uint64_t index = 0; // of its first sample since the recorder began
    bool has_time = false;
    epoch time;
};

capture read_capture(const std::string& path, const json_object& map)
{
    capture c;
    c.in_file = map.whole("core:sample_start", 0, max_samples);
    c.has_index = map.has("core:global_index");
    c.index = map.whole("core:global_index", 0, max_samples);
    const std::string time = map.text("core:datetime");
    if (!time.empty()) {
        try {
            c.time = epoch::from_iso(time);
        } catch (const std::invalid_argument& e) {
            throw damaged_recording(path + ": core:datetime: " + e.what());
        }
        c.has_time = true;
    }
    return c;
}

//! Samples from one capture to the next, in time.
std::uint64_t steps(const capture& from, const capture& to, double rate)
{
    const std::uint64_t there = to.in_file - from.in_file;
    if (from.has_index && to.has_index)
        return to.index > from.index ? std::max(there, to.index - from.index) : there;
    if (from.has_time && to.has_time && rate > 0) {
        const double passed = to.time.seconds_since(from.time) * rate;
        if (passed < max_samples &&
            passed - static_cast<double>(there) > 1 + time_resolution * rate)
            return static_cast<std::uint64_t>(std::llround(passed));
    }
    return there;
}

} // namespace

sigmf_metadata::sigmf_metadata(const std::string& path)
{
    const json_object root = load(path);
    const json_object global = root.object("global");
    d_info.encoding = encoding_name(path, global.text("core:datatype"));
    d_info.streams = global.whole("core:num_channels", 1, max_channels);
    if (d_info.streams == 0)
        global.refuse("core:num_channels", "must be at least 1");
    d_info.sample_rate = global.number("core:sample_rate", 0);
    if (d_info.sample_rate < 0)
        global.refuse("core:sample_rate", "must be positive");
    d_info.remarks = global.text("core:description");
    if (d_info.remarks.empty())
        d_info.remarks = global.text("core:hw");

    capture last;
    const auto captures = root.array("captures");
    for (std::size_t k = 0; k < captures.size(); ++k) {
        const json_object& map = captures[k];
        const capture c = read_capture(path, map);
        const std::uint64_t header = map.whole("core:header_bytes", 0, max_samples);
        const double frequency = map.number("core:frequency", d_info.center_frequency);
        if (k == 0) {
            d_header_bytes = header;
            d_info.center_frequency = frequency;
            d_info.has_start_time = c.has_time;
            d_info.start_time = c.time;
            if (c.in_file != 0)
                map.refuse("core:sample_start", "of the first capture is not 0");
            d_segments.push_back({0, 0});
        } else {
            if (header != 0)
                map.refuse("core:header_bytes",
                           "can only be in front of the first capture");
            if (c.in_file < last.in_file)
                map.refuse("core:sample_start", "is before that of the capture before");
            if (frequency != d_info.center_frequency)
                throw std::invalid_argument(path + ": core:frequency changes at sample " +
                                            std::to_string(c.in_file) +
                                            "; one frequency can be correlated");
            const std::uint64_t time =
                d_segments.back().time + steps(last, c, d_info.sample_rate);
            samples_claimed(path, "capture " + std::to_string(k), time, 1);
            d_segments.push_back({time, c.in_file});
        }
        last = c;
    }
    if (d_segments.empty())
        d_segments.push_back({0, 0});
}

} // namespace io
} // namespace fringe
} // namespace gr
