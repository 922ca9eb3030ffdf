/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_times.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::io {

preferred preferred_by_name(const std::string& name)
{
    require(name.empty() || name == "header" || name == "settings",
            "prefer: '" + name +
                "': must be header or settings, which of them overrides the other where "
                "they contradict each other, or nothing");
    return name.empty()       ? preferred::neither
           : name == "header" ? preferred::header
                              : preferred::settings;
}

recording_times::recording_times(const std::vector<timed_file>& files,
                                 const time_settings& settings)
    : d_files(files), d_settings(settings), d_places(files.size())
{
    check_starts();
    check_rates();
    find_rate();
    read_clocks();
    if (headers_place_files())
        place_by_headers();
    else
        place_by_starts();
    find_start_time();
}

// Where each file begins, by the headers.
void recording_times::read_clocks()
{
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        d_places[k].timed = has_exact_clock(d_files[k].info);
        if (d_places[k].timed && !d_timed)
            d_reference = k;
        d_timed = d_timed || d_places[k].timed;
    }
    if (!d_timed || d_rate <= 0)
        return;
    epoch zero = d_files[d_reference].info.start_time;
    zero.seconds += d_files[d_reference].info.start_repeats; // times before it, too
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const recording_info& info = d_files[k].info;
        if (d_places[k].timed)
            d_places[k].begins = samples_between(
                zero, nearest_instant(info.start_time, info.start_repeats, zero), d_rate);
        if (d_places[k].begins.samples < d_places[d_reference].begins.samples)
            d_reference = k;
    }
    const sample_offset earliest = d_places[d_reference].begins;
    for (place& p : d_places) {
        if (p.timed) {
            p.begins.samples -= earliest.samples;
            p.begins.rest -= earliest.rest;
        }
    }
}

// False where starts that are given for each file are all there is to go by, or go before
// the headers.
bool recording_times::headers_place_files()
{
    if (!d_timed)
        return false;
    if (!starts_for_each())
        return true;
    const std::size_t r = d_reference;
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const std::int64_t wanted = d_places[r].begins.samples +
                                    static_cast<std::int64_t>(start_of(r)) -
                                    d_places[k].begins.samples;
        const auto given = static_cast<std::int64_t>(start_of(k));
        if (!d_places[k].timed || wanted == given)
            continue;
        const std::string contradiction = "sample " + std::to_string(given) + " of " +
                                          d_files[k].path + " is taken with sample " +
                                          std::to_string(start_of(r)) + " of " +
                                          d_files[r].path + "; by their headers sample " +
                                          std::to_string(wanted) + " belongs there";
        require(d_settings.prefer != preferred::neither,
                "start_samples: " + contradiction +
                    ": give one start for all files, or say which overrides the other "
                    "with prefer=header or prefer=settings");
        if (d_settings.prefer == preferred::settings) {
            d_notes.push_back("start samples override headers: " + contradiction);
            return false;
        }
    }
    return true;
}

void recording_times::place_by_headers()
{
    std::int64_t begin = starts_for_each() ? max_samples_between : 0, end = 0;
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const place& p = d_places[k];
        end = std::max(
            end, p.begins.samples + static_cast<std::int64_t>(d_files[k].info.samples));
        if (starts_for_each())
            begin = std::min(begin,
                             p.begins.samples + static_cast<std::int64_t>(start_of(k)));
    }
    refuse_lone_files();
    if (!starts_for_each()) {
        require(start_of(0) < static_cast<std::uint64_t>(end),
                "start_samples: " + std::to_string(start_of(0)) + ": there are " +
                    std::to_string(end) +
                    " samples from where the first file begins to where the last ends");
        begin = static_cast<std::int64_t>(start_of(0));
    }
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        place& p = d_places[k];
        p.first = begin - p.begins.samples;
        p.used_from =
            starts_for_each()
                ? start_of(k)
                : static_cast<std::uint64_t>(std::max<std::int64_t>(0, p.first));
    }
    d_samples = static_cast<std::uint64_t>(end - begin);
    d_skipped = begin;
    say_offsets();
}

void recording_times::place_by_starts()
{
    refuse_vague_clocks();
    d_samples = ~std::uint64_t(0);
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        d_places[k].used_from = start_of(k);
        d_places[k].first = static_cast<std::int64_t>(start_of(k));
        d_samples = std::min(d_samples, d_files[k].info.samples - start_of(k));
    }
    d_reference = 0;
    d_skipped = d_places[0].first;
}

std::uint64_t recording_times::spanned(std::size_t file, std::uint64_t samples) const
{
    const place& p = d_places[file];
    const std::int64_t from =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(p.used_from) - p.first);
    const std::int64_t to =
        std::min(static_cast<std::int64_t>(samples),
                 static_cast<std::int64_t>(d_files[file].info.samples) - p.first);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, to - from));
}

// When sample 0 was taken, of the file that begins first.
void recording_times::find_start_time()
{
    const timed_file& file = d_files[d_reference];
    const recording_info& info = file.info;
    const bool given = d_settings.has_start_time;
    d_has_start = given || info.has_start_time;
    d_zero = given ? d_settings.start_time : info.start_time;
    if (given && has_clock(info)) {
        const epoch header_time =
            nearest_instant(info.start_time, info.start_repeats, d_zero);
        const double off = d_zero.seconds_since(header_time);
        // Within half a sample they are one instant, and the header's is the exact one.
        const bool same = std::abs(off) * std::max(d_rate, 1.0) <= 0.5;
        const bool vague = !same && std::abs(off) <= info.start_within;
        const std::string contradiction =
            "start_time: " + d_zero.iso(9) + " is given, and " + file.path +
            " says that it begins at " + header_time.iso(9) +
            (info.start_repeats > 0 && !info.has_start_time
                 ? " (but for multiples of " +
                       std::to_string(info.start_repeats / 86400) + " days)"
                 : "");
        require(same || vague || d_settings.prefer != preferred::neither,
                contradiction + ": say which overrides the other with "
                                "prefer=header or prefer=settings");
        if (!same && !vague)
            d_notes.push_back(contradiction + "; the " +
                              (d_settings.prefer == preferred::header
                                   ? "header overrides it"
                                   : "given one overrides it"));
        if (same || (!vague && d_settings.prefer == preferred::header))
            d_zero = header_time;
    }
    d_start = d_has_start && d_rate > 0 ? d_zero.plus_samples(d_skipped, d_rate) : d_zero;
}

} // namespace gr::fringe::io
