/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_set.h"
#include "io/recordings/recording_files.h"
#include "io/recordings/recording_gaps.h"
#include "io/recordings/recording_piece.h"
#include "kernels/base/require.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

// Seconds of a gap that are read as lost samples, so that dumps in it tell their exposure.
constexpr double longest_read = 10;

} // namespace

recording_set::recording_set(const std::vector<std::string>& paths,
                             const recording_format& format,
                             std::size_t inputs,
                             const std::vector<std::uint64_t>& first)
    : recording_set(paths, format, inputs, [&] {
          time_settings settings;
          settings.first = first;
          return settings;
      }())
{
}

recording_set::recording_set(const std::vector<std::string>& paths,
                             const recording_format& format,
                             std::size_t inputs,
                             const time_settings& settings)
    : d_format(format), d_paths(paths)
{
    const auto files = std::to_string(paths.size());
    require(!paths.empty(), "paths: none: give at least one file");
    require(inputs % paths.size() == 0,
            "inputs: " + std::to_string(inputs) + ": must divide evenly by the " + files +
                " files");
    require(format.self_describing || inputs > 0,
            "inputs: 0: recordings of format " + format.name +
                " have no header: say how many inputs there are (at least 1)");
    const std::size_t streams = inputs / paths.size();
    for (const std::string& path : paths)
        take(path, open_recording(d_format, path, {streams}), streams);
    place(settings);
}

recording_set::recording_set(const std::vector<std::string>& names,
                             std::vector<std::unique_ptr<recording>> files,
                             const recording_format& format,
                             const time_settings& settings)
    : d_format(format), d_paths(names)
{
    for (std::size_t k = 0; k < files.size(); ++k)
        take(names[k], std::move(files[k]), 0);
    place(settings);
}

void recording_set::place(const time_settings& settings)
{
    std::vector<timed_file> timed;
    for (std::size_t k = 0; k < d_files.size(); ++k)
        timed.push_back({d_paths[k], d_files[k]->info()});
    d_times = std::make_unique<const recording_times>(timed, settings);
    d_rate = d_times->sample_rate();
    d_has_gaps = missing() > 0;
}

void recording_set::take(const std::string& path,
                         std::unique_ptr<recording> file,
                         std::size_t streams)
{
    d_files.push_back(std::move(file));
    const recording_info& info = d_files.back()->info();
    require(streams == 0 || info.streams == streams,
            "inputs: " + std::to_string(streams) + " expected in " + path +
                ", which holds " + std::to_string(info.streams) + " streams");
    const kernels::encoding& encoding = encoding_of(d_format, info);
    require(!d_encoding || d_encoding->name == encoding.name,
            path + ": its samples are " + encoding.name +
                ", those of the files before it " + (d_encoding ? d_encoding->name : "") +
                ": correlate alike recordings");
    require(info.streams == d_files[0]->info().streams,
            path + ": holds " + std::to_string(info.streams) +
                " streams, the files before it " +
                std::to_string(d_files[0]->info().streams) + " each");
    d_encoding = &encoding;
    d_streams += info.streams;
    d_parts += info.parts;
}

std::uint64_t recording_set::missing() const
{
    std::uint64_t missing = 0;
    for (std::size_t k = 0; k < d_files.size(); ++k)
        missing += samples() - std::min(samples(), d_times->spanned(k, samples())) +
                   d_files[k]->info().missing;
    return std::min(samples(), missing / d_files.size());
}

void recording_set::refuse_gaps(std::uint64_t samples) const
{
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const recording_info& info = d_files[k]->info();
        const std::uint64_t spanned = d_times->spanned(k, samples);
        held_samples held;
        held.wanted = samples;
        held.there = std::min(spanned, info.samples - info.missing);
        held.bytes = d_encoding->bytes(info.streams, info.samples - info.missing);
        held.rate = d_rate;
        io::refuse_gaps(d_paths[k], held, spanned >= samples / 10);
    }
}

void recording_set::read(std::uint64_t n,
                         std::size_t count,
                         std::size_t block,
                         std::uint8_t* out,
                         std::vector<lost_samples>& lost) const
{
    read_piece({0, d_files.size()}, n, count, 0, block, out, lost);
    if (count < block)
        clear_rest(count, block, out);
}

void recording_set::read_piece(const file_range& files,
                               std::uint64_t n,
                               std::size_t count,
                               std::size_t at,
                               std::size_t block,
                               std::uint8_t* out,
                               std::vector<lost_samples>& lost) const
{
    const std::size_t streams = d_streams / d_files.size(); // of each file
    const std::size_t bytes = d_encoding->bytes(streams, block);
    for (std::size_t k = files.first; k < files.first + files.count; ++k) {
        const std::size_t known = lost.size();
        read_file(k, n, count, at, block, out + k * bytes, lost);
        for (std::size_t l = known; l < lost.size(); ++l)
            lost[l].stream += k * streams;
    }
}

sample_range recording_set::gap_at(std::uint64_t n) const
{
    if (!d_has_gaps)
        return {n, n};
    std::int64_t begin = 0, end = static_cast<std::int64_t>(samples());
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const std::int64_t offset = d_times->first(k);
        const std::int64_t at = offset + static_cast<std::int64_t>(n);
        const auto used_from = static_cast<std::int64_t>(d_times->used_from(k));
        const auto file_end = static_cast<std::int64_t>(d_files[k]->info().samples);
        if (at < used_from) {
            end = std::min(end, used_from - offset);
        } else if (at >= file_end) {
            begin = std::max(begin, file_end - offset);
        } else {
            const sample_range gap = d_files[k]->gap_at(static_cast<std::uint64_t>(at));
            if (gap.empty())
                return {n, n};
            begin = std::max(begin, static_cast<std::int64_t>(gap.begin) - offset);
            end = std::min(end, static_cast<std::int64_t>(gap.end) - offset);
        }
    }
    return {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

std::uint64_t
recording_set::behind_gap(std::uint64_t n, std::size_t block, std::uint64_t total) const
{
    if (n >= total)
        return n;
    const sample_range gap = gap_at(n);
    const std::uint64_t first = (gap.begin + block - 1) / block * block;
    const std::uint64_t end = std::min(gap.end, total) / block * block;
    const bool is_long =
        static_cast<double>(gap.end - gap.begin) >= longest_read * d_rate;
    return is_long && first <= n && end > first ? std::max(n, end) : n;
}

// One file's part, which may begin later or end earlier than what is read.
void recording_set::read_file(std::size_t file,
                              std::uint64_t n,
                              std::size_t count,
                              std::size_t at,
                              std::size_t block,
                              std::uint8_t* out,
                              std::vector<lost_samples>& lost) const
{
    const recording_info& info = d_files[file]->info();
    const recording_piece piece(*d_files[file], d_format, block);
    const std::int64_t first = d_times->first(file) + static_cast<std::int64_t>(n);
    const auto clipped = [&](std::int64_t sample) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(
            sample - first, 0, static_cast<std::int64_t>(count)));
    };
    const std::size_t from = clipped(static_cast<std::int64_t>(d_times->used_from(file)));
    const std::size_t to =
        std::max(from, clipped(static_cast<std::int64_t>(info.samples)));
    if (to - from < count)
        piece.fill_lost(at, count, out);
    if (from < to)
        piece.read(static_cast<std::uint64_t>(first + static_cast<std::int64_t>(from)),
                   to - from,
                   at + from,
                   out,
                   lost);
    for (std::size_t s = 0; s < info.streams; ++s) {
        if (from > 0)
            lost.push_back({s, at, from, loss::missing});
        if (to < count)
            lost.push_back({s, at + to, count - to, loss::missing});
    }
}

void recording_set::clear_rest(std::size_t at, std::size_t block, std::uint8_t* out) const
{
    for (const auto& file : d_files) {
        const recording_piece piece(*file, d_format, block);
        piece.clear(at, block - at, out);
        out += piece.bytes();
    }
}

} // namespace gr::fringe::io
