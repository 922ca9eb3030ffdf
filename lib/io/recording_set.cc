/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recording_set.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace io {

namespace {

void require(bool ok, const std::string& sentence)
{
    if (!ok)
        throw std::invalid_argument(sentence);
}

} // namespace

recording_set::recording_set(const std::vector<std::string>& paths,
                             const recording_format& format,
                             std::size_t inputs,
                             const std::vector<std::uint64_t>& first)
    : d_format(format)
{
    const auto files = std::to_string(paths.size());
    require(!paths.empty(), "paths: none: give at least one file");
    require(inputs % paths.size() == 0,
            "inputs: " + std::to_string(inputs) + ": must divide evenly by the " + files +
                " files");
    require(format.self_describing || inputs > 0,
            "inputs: 0: recordings of format " + format.name +
                " have no header: say how many inputs there are (at least 1)");
    require(first.size() == 1 || first.size() == paths.size(),
            "start_samples: " + std::to_string(first.size()) +
                " values: give one for all files or one for each of the " + files);
    for (std::size_t k = 0; k < paths.size(); ++k)
        open(paths[k], inputs / paths.size(), first[first.size() == 1 ? 0 : k]);
}

void recording_set::open(const std::string& path,
                         std::size_t streams,
                         std::uint64_t first)
{
    d_files.push_back({d_format.open(path, {streams}), first});
    const recording_info& info = d_files.back().recording->info();
    require(streams == 0 || info.streams == streams,
            "inputs: " + std::to_string(streams) + " expected in " + path +
                ", which holds " + std::to_string(info.streams) + " streams");
    require(first < info.samples,
            "start_samples: " + std::to_string(first) + ": " + path + " holds " +
                std::to_string(info.samples) + " samples of " +
                std::to_string(info.streams) + " streams");
    require(first % d_format.granule == 0,
            "start_samples: " + std::to_string(first) + ": recordings of format " +
                d_format.name + " can start at multiples of " +
                std::to_string(d_format.granule) + " samples");
    const kernels::encoding& encoding = encoding_of(d_format, info);
    require(!d_encoding || d_encoding->name == encoding.name,
            path + ": its samples are " + encoding.name +
                ", those of the files before it " + (d_encoding ? d_encoding->name : "") +
                ": correlate alike recordings");
    require(d_files.size() == 1 || info.streams == d_files[0].recording->info().streams,
            path + ": holds " + std::to_string(info.streams) +
                " streams, the files before it " +
                std::to_string(d_files[0].recording->info().streams) + " each");
    d_encoding = &encoding;
    d_streams += info.streams;
    d_parts += info.parts;
    d_samples = std::min(d_samples, info.samples - first);
}

void recording_set::read(std::uint64_t n,
                         std::size_t count,
                         std::size_t block,
                         std::uint8_t* out,
                         std::vector<lost_samples>& lost)
{
    const std::size_t whole =
        (count + d_format.granule - 1) / d_format.granule * d_format.granule;
    std::size_t stream = 0;
    for (auto& f : d_files) {
        const recording_info& info = f.recording->info();
        const std::size_t bytes = d_encoding->bytes(info.streams, block);
        const std::size_t known = lost.size();
        if (whole == block) {
            f.recording->read(f.first + n, whole, out, &lost);
        } else {
            // A short block keeps the places that sub-blocks and streams have in a whole
            // one.
            const std::size_t part = d_encoding->bytes(info.streams, whole);
            const std::size_t rows = d_format.stream_major ? info.streams : info.parts;
            d_short_block.resize(part);
            f.recording->read(f.first + n, whole, d_short_block.data(), &lost);
            std::memset(out, 0, bytes);
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(out + r * (bytes / rows),
                            d_short_block.data() + r * (part / rows),
                            part / rows);
        }
        for (std::size_t k = known; k < lost.size(); ++k)
            lost[k].stream += stream;
        out += bytes;
        stream += info.streams;
    }
}

bool recording_set::begin_read(std::uint64_t n, std::size_t block) const
{
    return block % d_format.granule == 0 &&
           std::all_of(d_files.begin(), d_files.end(), [&](const opened_file& f) {
               return f.recording->begin_read(f.first + n, block);
           });
}

} // namespace io
} // namespace fringe
} // namespace gr
