/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/successive.h"
#include "io/recordings/recording_helpers.h"
#include "io/recordings/recording_piece.h"
#include <algorithm>

namespace gr::fringe::io {

namespace {

class successive_recording : public recording
{
public:
    successive_recording(std::vector<recording_part> parts,
                         const recording_format& format,
                         const std::string& what,
                         const std::string& remark)
        : d_parts(std::move(parts)), d_format(format), d_info(first().info())
    {
        std::uint64_t held = 0;
        d_info.missing = 0;
        for (const recording_part& part : d_parts) {
            held += part.samples->info().samples;
            d_info.missing += part.samples->info().missing;
        }
        d_info.samples = end_of(d_parts.size() - 1);
        const std::uint64_t gaps = d_info.samples - held;
        d_info.missing += gaps;
        if (!remark.empty())
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") + remark;
        if (gaps > 0)
            d_info.remarks += (d_info.remarks.empty() ? "" : ", ") +
                              std::to_string(gaps) + " samples missing between " +
                              std::to_string(d_parts.size()) + " " + what;
    }

    const recording_info& info() const override { return d_info; }

    void read(std::uint64_t from,
              std::size_t count,
              std::uint8_t* out,
              std::vector<lost_samples>* lost) const override
    {
        check_read(
            d_parts[0].name, d_info.samples, from, count, granule_of(d_format, d_info));
        std::vector<lost_samples> ignored;
        std::vector<lost_samples>& all_lost = lost ? *lost : ignored;
        const std::uint64_t end = from + count;
        std::size_t k = part_at(from);
        if (from < d_parts[k].first || end > end_of(k))
            recording_piece(first(), d_format, count).fill_lost(0, count, out);
        std::uint64_t done = from;
        for (; done < end; ++k) {
            const bool is_last = k == d_parts.size();
            const std::uint64_t begin = is_last ? end : std::min(end, d_parts[k].first);
            if (begin > done)
                lose(done - from, begin - done, all_lost);
            done = std::max(done, begin);
            if (is_last || done == end)
                break;
            const std::uint64_t to = std::min(end, end_of(k));
            const recording_piece piece(*d_parts[k].samples, d_format, count);
            piece.read(done - d_parts[k].first,
                       static_cast<std::size_t>(to - done),
                       static_cast<std::size_t>(done - from),
                       out,
                       all_lost);
            done = to;
        }
    }

    sample_range gap_at(std::uint64_t sample) const override
    {
        const std::size_t k = part_at(sample);
        const std::uint64_t begin = d_parts[k].first;
        if (sample < begin)
            return {k > 0 ? end_of(k - 1) : 0, begin};
        if (sample >= end_of(k))
            return {end_of(k), d_info.samples};
        const sample_range gap = d_parts[k].samples->gap_at(sample - begin);
        return {begin + gap.begin, begin + gap.end};
    }

private:
    const recording& first() const { return *d_parts[0].samples; }

    std::uint64_t end_of(std::size_t part) const
    {
        return d_parts[part].first + d_parts[part].samples->info().samples;
    }

    // The part with that sample, or the first one behind it.
    std::size_t part_at(std::uint64_t sample) const
    {
        const auto behind = std::upper_bound(
            d_parts.begin(),
            d_parts.end(),
            sample,
            [](std::uint64_t n, const recording_part& part) { return n < part.first; });
        const auto k = static_cast<std::size_t>(behind - d_parts.begin());
        return k > 0 && end_of(k - 1) > sample ? k - 1 : std::min(k, d_parts.size() - 1);
    }

    void
    lose(std::uint64_t at, std::uint64_t count, std::vector<lost_samples>& lost) const
    {
        for (std::size_t s = 0; s < d_info.streams; ++s)
            lost.push_back({s, at, count, loss::missing});
    }

    const std::vector<recording_part> d_parts;
    const recording_format& d_format;
    recording_info d_info;
};

} // namespace

std::unique_ptr<recording> one_after_the_other(std::vector<recording_part> parts,
                                               const recording_format& format,
                                               const std::string& what,
                                               const std::string& remark)
{
    return std::make_unique<successive_recording>(std::move(parts), format, what, remark);
}

} // namespace gr::fringe::io
