/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sigmf_metadata.h"
#include "io/recordings/recording_helpers.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::io {

namespace {

constexpr double max_channels = 65536;
// Whole numbers that a double holds.
constexpr double max_samples = 9007199254740992.0;
// Times of captures are written to a microsecond at best.
constexpr double time_resolution = 2e-6;

// Extensions of the specification that add words and no layout.
const std::vector<std::string> known_extensions{
    "adsb", "antenna", "capture_details", "signal", "spatial", "traceability", "wifi"};

// The encoding of the samples; says whether their bytes are in the order from high to low.
std::string encoding_name(const std::string& path, const std::string& type, bool& big)
{
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
        const std::string name = k.first;
        const bool bytes = name.back() == '8';
        big = !bytes && type == name + "_be";
        if (big || type == (bytes ? name : name + "_le"))
            return k.second;
        names += (names.empty() ? "" : ", ") + (bytes ? name : name + "_le");
    }
    throw std::invalid_argument(path + ": core:datatype '" + type + "'; " + names +
                                " can be read, and _be");
}

// Extensions without which a reader must not read.
void check_extensions(const std::string& path, const json_object& global)
{
    for (const json_object& e : global.array("core:extensions")) {
        const std::string name = e.text("name");
        if (e.flag("optional", true) ||
            std::find(known_extensions.begin(), known_extensions.end(), name) !=
                known_extensions.end())
            continue;
        throw std::invalid_argument(
            path + ": core:extensions: '" + name +
            "' is not optional, and this program does not know it");
    }
}

void check_version(const std::string& path, const json_object& global)
{
    const std::string version = global.text("core:version");
    if (!version.empty() && version.compare(0, 2, "0.") != 0 &&
        version.compare(0, 2, "1.") != 0)
        throw std::invalid_argument(path + ": core:version " + version +
                                    "; 0.x and 1.x can be read");
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

sigmf_metadata::sigmf_metadata(const std::string& path, const std::string& text)
{
    const json_object root(path, text);
    if (!root.has_object("global"))
        throw damaged_recording(path +
                                ": has no 'global' object, as SigMF metadata must");
    read_global(path, root.object("global"));
    read_captures(path, root);
}

void sigmf_metadata::read_global(const std::string& path, const json_object& global)
{
    check_version(path, global);
    check_extensions(path, global);
    if (global.flag("core:metadata_only", false))
        throw std::invalid_argument(path + ": core:metadata_only is true: it describes "
                                           "samples that are not there");
    d_info.encoding = encoding_name(path, global.text("core:datatype"), d_big_endian);
    d_info.streams = global.whole("core:num_channels", 1, max_channels);
    if (d_info.streams == 0)
        global.refuse("core:num_channels", "must be at least 1");
    d_info.sample_rate = global.number("core:sample_rate", 0);
    if (d_info.sample_rate < 0)
        global.refuse("core:sample_rate", "must be positive");
    d_info.start_within = time_resolution;
    d_info.remarks = global.text("core:description");
    if (d_info.remarks.empty())
        d_info.remarks = global.text("core:hw");
    d_trailing_bytes = global.whole("core:trailing_bytes", 0, max_samples);
    d_dataset = global.text("core:dataset");
    if (global.has("core:dataset") &&
        (d_dataset.empty() || d_dataset.find('/') != std::string::npos))
        global.refuse("core:dataset",
                      "must be the name of a file in the folder of the metadata");
}

void sigmf_metadata::read_captures(const std::string& path, const json_object& root)
{
    const json_object global = root.object("global");
    const std::uint64_t offset = global.whole("core:offset", 0, max_samples);
    d_info.center_frequency = global.number("core:frequency", 0);
    capture last;
    const auto captures = root.array("captures");
    for (std::size_t k = 0; k < captures.size(); ++k) {
        const json_object& map = captures[k];
        capture c = read_capture(path, map);
        const std::uint64_t header = map.whole("core:header_bytes", 0, max_samples);
        const double frequency = map.number("core:frequency", d_info.center_frequency);
        if (map.number("core:sample_rate", d_info.sample_rate) != d_info.sample_rate)
            map.refuse("core:sample_rate", "of a capture is not core:sample_rate of all");
        if (k == 0 ? c.in_file != offset : c.in_file < last.in_file + offset)
            map.refuse("core:sample_start",
                       k == 0 ? "of the first capture is not core:offset, " +
                                    std::to_string(offset)
                              : "is before that of the capture before");
        c.in_file -= offset;
        std::uint64_t time = 0;
        if (k == 0) {
            d_info.center_frequency = frequency;
            d_info.has_start_time = c.has_time;
            d_info.start_time = c.time;
            d_info.has_index = c.has_index;
            d_info.index = c.index;
        } else {
            if (frequency != d_info.center_frequency)
                throw std::invalid_argument(path + ": core:frequency changes at sample " +
                                            std::to_string(c.in_file) +
                                            "; one frequency can be correlated");
            time = d_segments.back().time + steps(last, c, d_info.sample_rate);
            samples_claimed(path, "capture " + std::to_string(k), time, 1);
        }
        d_segments.push_back({time, c.in_file, header});
        last = c;
    }
    if (d_segments.empty())
        d_segments.push_back({0, 0, 0});
}

} // namespace gr::fringe::io
