/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sigmf_files.h"
#include "io/recordings/recording_files.h"
#include "io/recordings/recording_set.h"
#include "io/recordings/sigmf_metadata.h"
#include "io/recordings/successive.h"
#include "io/recordings/tar_file.h"
#include <algorithm>
#include <filesystem>
#include <iterator>

namespace gr::fringe::io {

namespace {

const std::string meta_ending = ".sigmf-meta", data_ending = ".sigmf-data",
                  collection_ending = ".sigmf-collection";
constexpr std::uint64_t max_text = 1u << 26;

bool ends_with(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

std::string read_text(const input_file& file, std::uint64_t begin, std::uint64_t end)
{
    if (end - begin > max_text)
        throw std::invalid_argument(file.path() + ": of " + std::to_string(end - begin) +
                                    " bytes is no SigMF metadata");
    std::string text(static_cast<std::size_t>(end - begin), ' ');
    file.read(begin, reinterpret_cast<std::uint8_t*>(&text[0]), text.size());
    return text;
}

std::string read_text(const std::string& path)
{
    const input_file file(path);
    return read_text(file, 0, file.size());
}

std::string beside(const std::string& path, const std::string& name)
{
    return (std::filesystem::path(path).parent_path() / name).string();
}

// One of the recordings of an archive; `meta`: its metadata.
std::unique_ptr<recording> open_member(const std::shared_ptr<const input_file>& file,
                                       const std::vector<tar_member>& members,
                                       const tar_member& meta,
                                       const recording_hints& hints)
{
    const std::string where = file->path() + ": " + meta.name;
    const sigmf_metadata metadata(where, read_text(*file, meta.begin, meta.end));
    const std::string data = metadata.dataset().empty()
                                 ? sigmf_base(meta.name) + data_ending
                                 : beside(meta.name, metadata.dataset());
    for (const tar_member& m : members) {
        if (m.name == data)
            return open_sigmf_samples(where, metadata, {file, m.begin, m.end}, hints);
    }
    throw damaged_recording(file->path() + ": is an archive without " + data +
                            ", the samples that " + meta.name + " describes");
}

} // namespace

std::string sigmf_base(const std::string& path)
{
    for (const std::string& ending : {meta_ending, data_ending}) {
        if (ends_with(path, ending))
            return path.substr(0, path.size() - ending.size());
    }
    return path;
}

bool is_sigmf(const std::string& path, const std::vector<std::uint8_t>& start)
{
    std::error_code ignored;
    const auto is_there = [&](const std::string& name) {
        return std::filesystem::is_regular_file(name, ignored);
    };
    if (ends_with(path, collection_ending) || ends_with(path, meta_ending))
        return is_there(path);
    if (is_tar(start)) {
        const auto members = tar_members(input_file(path));
        return std::any_of(members.begin(), members.end(), [](const tar_member& m) {
            return ends_with(m.name, meta_ending);
        });
    }
    const std::string base = sigmf_base(path);
    return is_there(base + meta_ending) && is_there(base + data_ending);
}

std::unique_ptr<recording> open_sigmf_samples(const std::string& path,
                                              const sigmf_metadata& metadata,
                                              samples_in_file from,
                                              const recording_hints& hints)
{
    const recording_info& info = metadata.info();
    if (hints.streams != 0 && hints.streams != info.streams)
        throw std::invalid_argument(
            path + ": says " + std::to_string(info.streams) + " channels, not the " +
            std::to_string(hints.streams) + " inputs that were given");
    from.big_endian = metadata.big_endian();
    const std::uint64_t sample_bytes =
        encoding_by_name(info.encoding).bytes(info.streams, 1);
    std::uint64_t end = std::min(from.end, from.file->size());
    end -= std::min(end - from.begin, metadata.trailing_bytes());
    const auto& segments = metadata.segments();
    std::vector<recording_part> parts;
    std::uint64_t at = from.begin;
    for (std::size_t k = 0; k < segments.size(); ++k) {
        at += segments[k].header_bytes;
        from.begin = at + segments[k].in_file * sample_bytes;
        const std::uint64_t first = segments[k].time;
        // A capture that follows closely is no part of its own.
        while (k + 1 < segments.size() && segments[k + 1].header_bytes == 0 &&
               segments[k + 1].time - segments[k].time ==
                   segments[k + 1].in_file - segments[k].in_file)
            ++k;
        from.end = k + 1 < segments.size()
                       ? std::min(end, at + segments[k + 1].in_file * sample_bytes)
                       : end;
        if (from.begin >= from.end && (!parts.empty() || k + 1 < segments.size()))
            continue;
        recording_part part;
        part.name = path;
        part.samples = open_described(from, info);
        part.first = first;
        parts.push_back(std::move(part));
    }
    if (parts.size() == 1 && parts[0].first == 0)
        return std::move(parts[0].samples);
    return one_after_the_other(std::move(parts), format_by_name("sigmf"), "captures");
}

std::unique_ptr<recording> open_sigmf_pair(const std::string& path,
                                           const recording_hints& hints)
{
    const std::string base = sigmf_base(path), meta = base + meta_ending;
    const sigmf_metadata metadata(meta, read_text(meta));
    const std::string data = metadata.dataset().empty()
                                 ? base + data_ending
                                 : beside(meta, metadata.dataset());
    return open_sigmf_samples(
        meta, metadata, {std::make_shared<const input_file>(data)}, hints);
}

std::unique_ptr<recording> open_sigmf_archive(const std::string& path,
                                              const recording_hints& hints)
{
    const auto file = std::make_shared<const input_file>(path);
    const auto members = tar_members(*file);
    std::vector<tar_member> described;
    std::copy_if(members.begin(),
                 members.end(),
                 std::back_inserter(described),
                 [](const tar_member& m) { return ends_with(m.name, meta_ending); });
    if (described.empty())
        throw damaged_recording(path + ": is an archive without SigMF metadata");
    if (described.size() == 1)
        return open_member(file, members, described[0], hints);
    // The order in which an archive was packed says nothing.
    std::sort(described.begin(), described.end(), [](const auto& a, const auto& b) {
        return natural_less(a.name, b.name);
    });
    std::vector<recording_part> recordings;
    for (const tar_member& meta : described) {
        recording_part part;
        part.name = path + ": " + meta.name;
        part.samples = open_member(file, members, meta, {});
        recordings.push_back(std::move(part));
    }
    return join_sigmf(path, std::move(recordings), hints);
}

} // namespace gr::fringe::io
