/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/headerless.h"
#include "io/recordings/input_file.h"
#include "io/recordings/recording_helpers.h"
#include "io/recordings/sigmf_metadata.h"
#include "io/recordings/zero_bytes.h"
#include <algorithm>
#include <filesystem>

namespace gr {
namespace fringe {
namespace io {

namespace {

// "x", "x.sigmf-meta" or "x.sigmf-data" -> "x"
std::string base_of(const std::string& path)
{
    for (const std::string ending : {".sigmf-meta", ".sigmf-data"}) {
        if (path.size() > ending.size() &&
            path.compare(path.size() - ending.size(), ending.size(), ending) == 0)
            return path.substr(0, path.size() - ending.size());
    }
    return path;
}

/*
 * A SigMF recording (sigmf.org): samples [time][channel] in FILE.sigmf-data, described
 * by FILE.sigmf-meta. Between captures samples may be missing.
 */
class sigmf_recording : public recording
{
public:
    sigmf_recording(const std::string& path, const recording_hints& hints)
        : d_base(base_of(path)), d_meta(d_base + ".sigmf-meta")
    {
        recording_info described = d_meta.info();
        if (hints.streams != 0 && hints.streams != described.streams)
            throw std::invalid_argument(
                d_base + ".sigmf-meta: says " + std::to_string(described.streams) +
                " channels, not the " + std::to_string(hints.streams) +
                " inputs that were said");
        d_data = open_described(d_base + ".sigmf-data", d_meta.header_bytes(), described);
        d_info = d_data->info();
        d_segments = d_meta.segments();
        while (d_segments.size() > 1 && d_segments.back().in_file >= d_info.samples)
            d_segments.pop_back();
        d_sample_bytes = encoding_by_name(d_info.encoding).bytes(d_info.streams, 1);
        const std::uint64_t gaps = d_segments.back().time - d_segments.back().in_file;
        d_info.samples += gaps;
        d_info.missing = gaps;
        if (gaps > 0)
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") +
                              std::to_string(gaps) + " samples missing between " +
                              std::to_string(d_segments.size()) + " captures";
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t first,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override
    {
        check_read(d_base + ".sigmf-data", d_info.samples, first, count);
        const std::uint64_t end = first + count;
        std::uint64_t done = first;
        const auto skip_to = [&](std::uint64_t time) {
            fill_with_zero(d_info.encoding,
                           out + (done - first) * d_sample_bytes,
                           (time - done) * d_sample_bytes);
            for (std::size_t s = 0; lost && time > done && s < d_info.streams; ++s)
                lost->push_back({s, done - first, time - done, loss::missing});
            done = time;
        };
        for (std::size_t k = 0; k < d_segments.size() && done < end; ++k) {
            const sigmf_segment& s = d_segments[k];
            const std::uint64_t length = k + 1 < d_segments.size()
                                             ? d_segments[k + 1].in_file - s.in_file
                                             : d_info.samples - s.time;
            if (s.time + length <= done || s.time >= end)
                continue;
            skip_to(std::max(done, s.time));
            const std::uint64_t to = std::min(end, s.time + length);
            d_data->read(s.in_file + (done - s.time),
                         static_cast<std::size_t>(to - done),
                         out + (done - first) * d_sample_bytes,
                         nullptr);
            done = to;
        }
        skip_to(end);
    }

private:
    std::string d_base;
    sigmf_metadata d_meta;
    std::unique_ptr<recording> d_data;
    recording_info d_info;
    std::vector<sigmf_segment> d_segments;
    std::size_t d_sample_bytes = 0;
};

// Either file of the two, or the name that both have: one alone says nothing.
bool is_sigmf(const std::string& path, const std::vector<std::uint8_t>&)
{
    std::error_code ignored;
    const auto is_there = [&](const std::string& name) {
        return std::filesystem::is_regular_file(name, ignored);
    };
    const std::string base = base_of(path);
    return is_there(base + ".sigmf-meta") && is_there(base + ".sigmf-data");
}

} // namespace

recording_format format_sigmf()
{
    auto f = described_format<sigmf_recording>(
        "sigmf", "SigMF: .sigmf-meta and .sigmf-data, one or several channels");
    f.endings = {"sigmf-meta", "sigmf-data"};
    f.recognises = is_sigmf;
    return f;
}

} // namespace io
} // namespace fringe
} // namespace gr
