/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// SigMF collections: recordings of several receivers, each in one file or in several.
#include "io/recordings/json_object.h"
#include "io/recordings/recording_set.h"
#include "io/recordings/sigmf_files.h"
#include "io/recordings/successive.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

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

// A name without its last number: "north.0007.sigmf-meta" -> "north.\n.sigmf-meta". The file
// that was being written when fringe record stopped is one of its others.
std::string without_number(std::string name)
{
    const std::string partial = ".partial.sigmf-meta";
    if (name.size() > partial.size() &&
        name.compare(name.size() - partial.size(), partial.size(), partial) == 0)
        name = name.substr(0, name.size() - partial.size()) + ".sigmf-meta";
    const char* digits = "0123456789";
    const std::size_t last = name.find_last_of(digits);
    if (last == std::string::npos)
        return name;
    const std::size_t before = name.find_last_not_of(digits, last);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    return name.substr(0, first) + '\n' + name.substr(last + 1);
}

// Whether recordings lie one after the other, by their times.
bool follow_each_other(const std::vector<recording_part>& parts)
{
    std::vector<recording_info> infos;
    for (const recording_part& part : parts) {
        infos.push_back(part.samples->info());
        if (!infos.back().has_start_time || infos.back().sample_rate <= 0)
            return false;
    }
    std::sort(infos.begin(), infos.end(), [](const auto& a, const auto& b) {
        return a.start_time < b.start_time;
    });
    for (std::size_t k = 1; k < infos.size(); ++k) {
        const recording_info& a = infos[k - 1];
        const double end = static_cast<double>(a.samples) / a.sample_rate;
        const double unsure = a.start_within + infos[k].start_within + 1 / a.sample_rate;
        if (infos[k].start_time.seconds_since(a.start_time) < end - unsure)
            return false;
    }
    return true;
}

// Recordings whose names differ in their last number are of one receiver when they lie one
// after the other, and of several when they overlap.
std::unique_ptr<const recording_set> set_of(std::vector<recording_part> members)
{
    const recording_format& sigmf = format_by_name("sigmf");
    std::vector<std::vector<recording_part>> alike;
    std::map<std::string, std::size_t> place;
    for (recording_part& member : members) {
        const auto [at, is_new] =
            place.emplace(without_number(member.name), alike.size());
        if (is_new)
            alike.emplace_back();
        alike[at->second].push_back(std::move(member));
    }
    std::vector<std::string> names;
    std::vector<std::unique_ptr<recording>> receivers;
    for (std::vector<recording_part>& parts : alike) {
        if (parts.size() > 1 && follow_each_other(parts)) {
            place_by_times(parts, sigmf);
            names.push_back(parts[0].name);
            const std::string what =
                std::to_string(parts.size()) + " files of a receiver";
            receivers.push_back(
                one_after_the_other(std::move(parts), sigmf, "files", what));
            continue;
        }
        for (recording_part& part : parts) {
            names.push_back(part.name);
            receivers.push_back(std::move(part.samples));
        }
    }
    return std::make_unique<const recording_set>(
        names, std::move(receivers), sigmf, time_settings());
}

class sigmf_collection : public recording
{
public:
    sigmf_collection(const std::string& path,
                     std::vector<recording_part> members,
                     const recording_hints& hints)
        : d_set(set_of(std::move(members))), d_info(d_set->info())
    {
        d_info.has_index = false; // each receiver has its own
        d_info.encoding = d_set->encoding().name;
        d_info.parts = d_set->parts();
        d_info.streams = d_set->streams();
        d_info.samples = d_set->samples();
        d_info.missing = d_set->missing();
        d_info.sample_rate = d_set->times().sample_rate();
        d_info.has_start_time = d_set->times().has_start_time();
        d_info.start_time = d_set->times().start_time();
        for (std::size_t k = 0; k < d_set->files(); ++k) {
            if (std::abs(d_set->info(k).center_frequency - d_info.center_frequency) > 1)
                throw std::invalid_argument(
                    path +
                    ": its recordings have different frequencies (core:frequency); "
                    "those of one can be correlated. Give their names");
        }
        for (const std::string& note : d_set->times().notes())
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
        d_set->read(first, count, count, out, lost ? *lost : ignored);
    }

    sample_range gap_at(std::uint64_t sample) const override
    {
        return d_set->gap_at(sample);
    }

private:
    const std::unique_ptr<const recording_set> d_set;
    recording_info d_info;
};

} // namespace

std::unique_ptr<recording> join_sigmf(const std::string& path,
                                      std::vector<recording_part> members,
                                      const recording_hints& hints)
{
    return std::make_unique<sigmf_collection>(path, std::move(members), hints);
}

std::unique_ptr<recording> open_sigmf_collection(const std::string& path,
                                                 const recording_hints& hints)
{
    std::vector<recording_part> members;
    for (const std::string& name : members_of(path)) {
        recording_part member;
        member.name = name;
        member.samples = open_sigmf_pair(name, {});
        members.push_back(std::move(member));
    }
    return join_sigmf(path, std::move(members), hints);
}

} // namespace gr::fringe::io
