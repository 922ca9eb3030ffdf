/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// SigMF collections: recordings of several receivers.
#include "io/recordings/json_object.h"
#include "io/recordings/recording_set.h"
#include "io/recordings/sigmf_files.h"
#include <cmath>
#include <filesystem>

namespace gr::fringe::io {

namespace {

// The recordings that a collection names, beside it.
std::vector<std::string> members_of(const std::string& path)
{
    const input_file file(path);
    constexpr std::uint64_t max_text = 1u << 24;
    std::string text(
        static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), max_text)), ' ');
    file.read(0, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    const json_object root(path, text);
    std::vector<std::string> members;
    for (const json_object& stream : root.object("collection").array("core:streams")) {
        const std::string name = stream.text("name");
        if (name.empty() || name.find('/') != std::string::npos)
            stream.refuse("name",
                          "must be the name of a recording in the collection's folder");
        members.push_back(
            (std::filesystem::path(path).parent_path() / (name + ".sigmf-meta"))
                .string());
    }
    if (members.empty())
        throw damaged_recording(path + ": names no recordings (core:streams)");
    return members;
}

class sigmf_collection : public recording
{
public:
    sigmf_collection(const std::string& path, const recording_hints& hints)
        : d_set(members_of(path), format_by_name("sigmf"), 0, time_settings()),
          d_info(d_set.info())
    {
        d_info.encoding = d_set.encoding().name;
        d_info.parts = d_set.parts();
        d_info.streams = d_set.streams();
        d_info.samples = d_set.samples();
        d_info.missing = d_set.missing();
        d_info.sample_rate = d_set.times().sample_rate();
        d_info.has_start_time = d_set.times().has_start_time();
        d_info.start_time = d_set.times().start_time();
        for (std::size_t k = 0; k < d_set.files(); ++k) {
            if (std::abs(d_set.info(k).center_frequency - d_info.center_frequency) > 1)
                throw std::invalid_argument(
                    path +
                    ": its recordings have different frequencies (core:frequency); "
                    "those of one can be correlated. Give their names");
        }
        for (const std::string& note : d_set.times().notes())
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") + note;
        if (hints.streams != 0 && hints.streams != d_info.streams)
            throw std::invalid_argument(
                path + ": its recordings hold " + std::to_string(d_info.streams) +
                " channels, not the " + std::to_string(hints.streams) +
                " inputs that were given");
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override
    {
        std::vector<lost_samples> ignored;
        d_set.read(first, count, count, out, lost ? *lost : ignored);
    }

private:
    const recording_set d_set;
    recording_info d_info;
};

} // namespace

std::unique_ptr<recording> open_sigmf_collection(const std::string& path,
                                                 const recording_hints& hints)
{
    return std::make_unique<sigmf_collection>(path, hints);
}

} // namespace gr::fringe::io
