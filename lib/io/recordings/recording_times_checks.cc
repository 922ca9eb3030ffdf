/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// What is checked in the files of a set, and reported.
#include "io/recordings/recording_times.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>
#include <sstream>

namespace gr::fringe::io {

namespace {

// Rates that differ by less are one rate, written with few decimals.
constexpr double rate_tolerance = 1e-6;
// Of a sample; less says more of a header's decimals than of its clock.
constexpr double rest_worth_a_word = 1e-3;

bool is_one_rate(double a, double b) { return std::abs(a - b) <= rate_tolerance * b; }

std::string text(double value)
{
    std::ostringstream s;
    s.precision(12);
    s << value;
    return s.str();
}

} // namespace

void recording_times::check_starts() const
{
    const auto files = std::to_string(d_files.size());
    require(d_settings.first.size() == 1 || d_settings.first.size() == d_files.size(),
            "start_samples: " + std::to_string(d_settings.first.size()) +
                " values: give one for all files or one for each of the " + files);
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const recording_info& info = d_files[k].info;
        const bool alone = starts_for_each() || d_files.size() == 1;
        require(start_of(k) < info.samples || (!alone && has_clock(info)),
                "start_samples: " + std::to_string(start_of(k)) + ": " + d_files[k].path +
                    " holds " + std::to_string(info.samples) + " samples of " +
                    std::to_string(info.streams) + " streams");
    }
}

void recording_times::check_rates() const
{
    const timed_file& a = d_files[0];
    for (const timed_file& b : d_files) {
        require(a.info.sample_rate == 0 || b.info.sample_rate == 0 ||
                    is_one_rate(a.info.sample_rate, b.info.sample_rate),
                b.path + ": has " + text(b.info.sample_rate) +
                    " samples a second by its header, " + a.path + " has " +
                    text(a.info.sample_rate) +
                    ": recordings of one rate can be correlated");
    }
}

// The settings' rate, or the headers'. Within the tolerance the given one goes, as headers
// may round it.
void recording_times::find_rate()
{
    d_rate = d_settings.sample_rate;
    for (const timed_file& file : d_files) {
        const double header_rate = file.info.sample_rate;
        if (d_rate == 0)
            d_rate = header_rate;
        if (header_rate == 0 || is_one_rate(d_rate, header_rate))
            continue;
        const std::string contradiction = "sample_rate: " + text(d_rate) +
                                          " Hz is given, and " + file.path + " has " +
                                          text(header_rate) + " Hz by its header";
        require(d_settings.prefer != preferred::neither,
                contradiction + ": say which overrides the other with "
                                "prefer=header or prefer=settings");
        d_notes.push_back(contradiction + "; the " +
                          (d_settings.prefer == preferred::header
                               ? "header overrides it"
                               : "given one overrides it"));
        if (d_settings.prefer == preferred::header)
            d_rate = header_rate;
        break; // the others have the rate of this one
    }
}

// Samples of a file of another day are all the set has in their time.
void recording_times::refuse_lone_files() const
{
    for (std::size_t k = 0; k < d_files.size() && d_files.size() > 1; ++k) {
        const auto begin = [&](std::size_t f) { return d_places[f].begins.samples; };
        const auto end = [&](std::size_t f) {
            return begin(f) + static_cast<std::int64_t>(d_files[f].info.samples);
        };
        bool overlapped = false;
        for (std::size_t other = 0; other < d_files.size(); ++other)
            overlapped = overlapped ||
                         (other != k && begin(k) < end(other) && begin(other) < end(k));
        const std::size_t r = k == d_reference ? (k == 0 ? 1 : 0) : d_reference;
        require(overlapped,
                d_files[k].path + ": begins at " + d_files[k].info.start_time.iso(6) +
                    " by its header and holds " +
                    text(static_cast<double>(d_files[k].info.samples) / d_rate) +
                    " s, in which no other file has anything (" + d_files[r].path +
                    " begins at " + d_files[r].info.start_time.iso(6) +
                    "). If a header is wrong, give the sample of each file to start with "
                    "(start_samples=S) and prefer=settings");
    }
}

// Files that begin at different seconds, which is all that is known of them.
void recording_times::refuse_vague_clocks() const
{
    for (std::size_t k = 1; k < d_files.size() && !starts_for_each(); ++k) {
        const recording_info &a = d_files[0].info, &b = d_files[k].info;
        const double within = std::max(a.start_within, b.start_within);
        if (!a.has_start_time || !b.has_start_time)
            continue;
        const double off = b.start_time.seconds_since(a.start_time);
        require(std::abs(off) <= within,
                d_files[k].path + ": begins " + text(off) + " s after " +
                    d_files[0].path + ", and these times are known to " + text(within) +
                    " s only: give the sample of each file to start with "
                    "(start_samples=S), which fringe align finds");
    }
}

void recording_times::say_offsets()
{
    for (std::size_t k = 0; k < d_files.size(); ++k) {
        const place& p = d_places[k];
        const std::string& first = d_files[d_reference].path;
        if (!p.timed)
            d_notes.push_back(d_files[k].path +
                              " does not say when it begins: it is taken to begin with " +
                              first);
        if (!p.timed ||
            (p.begins.samples == 0 && std::abs(p.begins.rest) <= rest_worth_a_word))
            continue;
        std::string note = d_files[k].path + " begins " +
                           text(static_cast<double>(p.begins.samples) / d_rate) +
                           " s after " + first + " by their headers: its sample 0 is " +
                           "taken with sample " + std::to_string(p.begins.samples) +
                           " there";
        if (std::abs(p.begins.rest) > rest_worth_a_word)
            note += ", " + text(std::round(p.begins.rest * 1000) / 1000) +
                    " samples being rounded off";
        d_notes.push_back(note);
    }
}

} // namespace gr::fringe::io
