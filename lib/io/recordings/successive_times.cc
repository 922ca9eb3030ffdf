/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Where the parts of a recording begin.
#include "io/recordings/header_keys.h"
#include "io/recordings/recording_helpers.h"
#include "io/recordings/recording_times.h"
#include "io/recordings/successive.h"
#include "kernels/base/require.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::io {

namespace {

// What parts of one recording have in common.
void check_alike(const recording_part& a,
                 const recording_part& b,
                 const recording_format& format)
{
    const recording_info &x = a.samples->info(), &y = b.samples->info();
    const auto check = [&](bool same,
                           const std::string& what,
                           const std::string& of_a,
                           const std::string& of_b) {
        require(same,
                b.name + ": " + what + " " + of_b + "; that of " + a.name + " is " +
                    of_a +
                    ": only files of one receiver that is set up alike follow "
                    "each other");
    };
    const auto number = [&](double p, double q, const std::string& what) {
        check(
            std::abs(p - q) <= 1e-6 * std::abs(p), what, number_text(p), number_text(q));
    };
    check(encoding_of(format, x).name == encoding_of(format, y).name,
          "encoding",
          encoding_of(format, x).name,
          encoding_of(format, y).name);
    number(static_cast<double>(x.streams), static_cast<double>(y.streams), "streams");
    number(static_cast<double>(x.parts), static_cast<double>(y.parts), "parts");
    number(static_cast<double>(x.coarse_channels),
           static_cast<double>(y.coarse_channels),
           "coarse channels");
    number(x.sample_rate, y.sample_rate, "sample rate");
    check(std::abs(x.center_frequency - y.center_frequency) <= 1,
          "center frequency",
          number_text(x.center_frequency),
          number_text(y.center_frequency));
    check(x.inverted == y.inverted,
          "sideband",
          x.inverted ? "lower" : "upper",
          y.inverted ? "lower" : "upper");
}

bool are_timed(const std::vector<recording_part>& parts)
{
    return std::all_of(parts.begin(), parts.end(), [](const recording_part& part) {
        return has_clock(part.samples->info()) && part.samples->info().sample_rate > 0;
    });
}

// Instants near that of the first part, where headers leave multiples of a time open.
epoch start_of(const recording_part& part, const epoch& near)
{
    const recording_info& info = part.samples->info();
    return info.has_start_time
               ? info.start_time
               : nearest_instant(info.start_time, info.start_repeats, near);
}

void place_closely(std::vector<recording_part>& parts)
{
    for (std::size_t k = 1; k < parts.size(); ++k)
        parts[k].first = parts[k - 1].first + parts[k - 1].samples->info().samples;
}

// Times that are known less well than to a sample do not make gaps or overlaps of their own.
void place_behind(const recording_part& before, recording_part& part, const epoch& zero)
{
    const recording_info &a = before.samples->info(), &b = part.samples->info();
    const std::int64_t at =
        samples_between(zero, start_of(part, zero), b.sample_rate).samples;
    const auto end = static_cast<std::int64_t>(before.first + a.samples);
    const double unsure = b.start_within * b.sample_rate;
    // A counter of samples says exactly what times leave open; where the two differ by more, the
    // files are not of one run of the recorder, and the counter began anew.
    if (a.has_index && b.has_index && b.index >= a.index + a.samples) {
        const std::uint64_t counted = before.first + (b.index - a.index);
        if (std::abs(static_cast<double>(at) - static_cast<double>(counted)) <=
            unsure + 1) {
            part.first = counted;
            return;
        }
    }
    if (std::abs(static_cast<double>(at - end)) <= unsure) {
        part.first = static_cast<std::uint64_t>(end);
        return;
    }
    require(at >= end,
            part.name + ": begins " + std::to_string(end - at) + " samples (" +
                number_text(static_cast<double>(end - at) / b.sample_rate) +
                " s) before " + before.name +
                " ends, by their headers: files of one receiver follow each other and "
                "do not overlap. Files of several receivers are given apart");
    part.first =
        samples_claimed(part.name, "its time", static_cast<std::uint64_t>(at), 1);
}

} // namespace

bool place_by_times(std::vector<recording_part>& parts, const recording_format& format)
{
    for (std::size_t k = 1; k < parts.size(); ++k)
        check_alike(parts[0], parts[k], format);
    if (!are_timed(parts)) {
        place_closely(parts);
        return false;
    }
    epoch near = parts[0].samples->info().start_time;
    near.seconds += parts[0].samples->info().start_repeats; // times before it, too
    std::stable_sort(parts.begin(),
                     parts.end(),
                     [&](const recording_part& a, const recording_part& b) {
                         return start_of(a, near) < start_of(b, near);
                     });
    const epoch zero = start_of(parts[0], near);
    for (std::size_t k = 1; k < parts.size(); ++k)
        place_behind(parts[k - 1], parts[k], zero);
    return true;
}

} // namespace gr::fringe::io
