/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/recording_gaps.h"
#include <cmath>
#include <sstream>

namespace gr::fringe::io {

namespace {

constexpr std::uint64_t min_part = 10; // one in this number of samples has to be there

std::string text(double value, int digits)
{
    std::ostringstream s;
    s.precision(digits);
    s << value;
    return s.str();
}

std::string duration(double seconds)
{
    constexpr double day = 86400, year = 365.25 * day;
    return seconds >= 2 * year  ? text(seconds / year, 3) + " years"
           : seconds >= 2 * day ? text(seconds / day, 3) + " days"
                                : text(seconds, 6) + " s";
}

// Never rounded to all.
std::string percent_missing(const held_samples& held)
{
    const double there =
        100 * static_cast<double>(held.there) / static_cast<double>(held.wanted);
    const double missing = std::floor((100 - there) * 1e6) / 1e6;
    return held.there > 0 && missing >= 99.999999 ? "more than 99.999999"
                                                  : text(missing, 8);
}

} // namespace

void refuse_gaps(const std::string& path, const held_samples& held, bool claimed)
{
    if (held.there >= held.wanted / min_part)
        return;
    const std::string seconds =
        held.rate > 0
            ? " (" + duration(static_cast<double>(held.wanted) / held.rate) + ")"
            : "";
    throw std::invalid_argument(
        path + ": " + percent_missing(held) + " % missing: its " +
        std::to_string(held.bytes) + " bytes of samples are " +
        std::to_string(held.there) + " of the " + std::to_string(held.wanted) +
        " samples" + seconds +
        (claimed ? " between its first and its last header"
                 : " that all files span together") +
        ". " +
        (claimed ? "Were recordings joined, or is a header damaged? Read what is there"
                 : "Read the time that they have in common") +
        " (start_samples=S and samples=K), or allow gaps (allow_gaps=True)");
}

} // namespace gr::fringe::io
