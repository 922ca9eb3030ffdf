/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/polyco.h"
#include "array/polyco_file.h"
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gr::fringe::array {

long double seconds_between(const epoch& a, const epoch& b)
{
    return static_cast<long double>(static_cast<std::int64_t>(a.seconds - b.seconds)) +
           (static_cast<long double>(a.attos) - static_cast<long double>(b.attos)) /
               1000000000000000000.0L;
}

polyco::polyco(const std::string& path, const std::string& pulsar)
    : d_path(path), d_segments(read_polyco(path))
{
    keep_only(pulsar);
}

void polyco::keep_only(const std::string& pulsar)
{
    std::set<std::string> there;
    for (const auto& s : d_segments) {
        there.insert(s.pulsar);
    }
    std::string names;
    for (const auto& name : there) {
        names += (names.empty() ? "" : ", ") + name;
    }
    if (pulsar.empty() && there.size() > 1) {
        throw std::invalid_argument(d_path + ": has several pulsars: say which of " +
                                    names);
    }
    if (!pulsar.empty() && there.count(pulsar) == 0) {
        throw std::invalid_argument(d_path + ": pulsar: " + pulsar + ": there are " +
                                    names);
    }
    d_segments.erase(std::remove_if(d_segments.begin(),
                                    d_segments.end(),
                                    [&](const segment& s) {
                                        return !pulsar.empty() && s.pulsar != pulsar;
                                    }),
                     d_segments.end());
    std::sort(d_segments.begin(), d_segments.end(), [](const auto& a, const auto& b) {
        return seconds_between(a.middle, b.middle) < 0;
    });
}

std::string polyco::coverage() const
{
    const auto& first = d_segments.front();
    const auto& last = d_segments.back();
    return first.middle.plus_seconds(-30 * first.span).iso(0) + " to " +
           last.middle.plus_seconds(30 * last.span).iso(0);
}

long double polyco::turns(const epoch& t) const
{
    const auto apart = [&](const segment& s) {
        return std::abs(seconds_between(t, s.middle));
    };
    const segment& s = *std::min_element(
        d_segments.begin(), d_segments.end(), [&](const auto& a, const auto& b) {
            return apart(a) < apart(b);
        });
    const long double minutes = seconds_between(t, s.middle) / 60;
    // The dates have as few as 11 decimals of a day, a microsecond.
    if (std::abs(minutes) > s.span / 2 + 1e-7) {
        throw std::runtime_error(d_path + ": no polynomial covers " + t.iso(3) +
                                 "; those of " + s.pulsar + " reach from " + coverage());
    }
    long double sum = 0;
    for (auto c = s.coefficients.rbegin(); c != s.coefficients.rend(); ++c) {
        sum = sum * minutes + *c;
    }
    return s.phase + 60 * minutes * s.rate + sum;
}

} // namespace gr::fringe::array
