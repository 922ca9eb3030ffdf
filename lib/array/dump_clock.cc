/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_clock.h"
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

__extension__ typedef __int128 int128;
constexpr std::int64_t attos_per_second = 1000000000000000000;

int128 attos(const epoch& t)
{
    return static_cast<int128>(t.seconds) * attos_per_second + t.attos;
}

// Rounded to a picosecond: 0.1 s is not a double, and its error would be a tenth of a
// microsecond by the time it was counted from 1970 on.
int128 attos(double seconds)
{
    const double whole = std::floor(seconds);
    return static_cast<int128>(whole) * attos_per_second +
           static_cast<int128>(std::llround((seconds - whole) * 1e12)) * 1000000;
}

// The center of spectrum n. A femtosecond is added, so that one that falls on a boundary is
// taken for that in spite of the rounding of rx_time, whose fraction is a double (0.1 fs).
int128 center(const timeline& t, std::uint64_t n) { return attos(t.middle(n)) + 1000; }

void check(double seconds, std::uint64_t spectra)
{
    const bool by_time = std::isfinite(seconds) && seconds >= 1e-9 && seconds <= 1e9;
    if (spectra > 0 ? seconds == 0 : by_time) {
        return;
    }
    std::ostringstream s;
    if (spectra > 0) {
        s << "seconds: " << seconds << " s, and spectra: " << spectra
          << ": a dump has one length; give one of the two and leave the other at 0";
    } else if (seconds == 0) {
        s << "seconds: 0 s, and spectra: 0: a dump needs a length; give 1e-9 s to 1e9 s, "
             "or "
             "one spectrum or more";
    } else {
        s << "seconds: " << seconds
          << " s: a dump must be 1e-9 s to 1e9 s long; or leave seconds at 0 and give "
             "spectra";
    }
    throw std::invalid_argument(s.str());
}

} // namespace

dump_clock::dump_clock(double seconds, std::uint64_t spectra)
{
    set_length(seconds, spectra, 0);
}

void dump_clock::set_length(double seconds, std::uint64_t spectra, std::uint64_t n)
{
    check(seconds, spectra);
    d_seconds = seconds;
    d_spectra = spectra;
    d_origin = n;
}

std::int64_t dump_clock::index(const timeline& t, std::uint64_t n) const
{
    if (d_spectra > 0) {
        return n >= d_origin ? static_cast<std::int64_t>((n - d_origin) / d_spectra) : -1;
    }
    return static_cast<std::int64_t>(center(t, n) / attos(d_seconds));
}

std::uint64_t dump_clock::first(const timeline& t, std::int64_t k) const
{
    if (d_spectra > 0) {
        return k >= 0 ? d_origin + static_cast<std::uint64_t>(k) * d_spectra : d_origin;
    }
    // The first n whose center is not before k T: a good guess in floating point, then
    // exact.
    const int128 begin = static_cast<int128>(k) * attos(d_seconds);
    const long double ahead =
        static_cast<long double>(begin - attos(t.at(0))) / attos_per_second;
    const long double guess = std::floor(ahead * t.rate() - 0.5L) - 1;
    std::uint64_t n = guess > 0 ? static_cast<std::uint64_t>(guess) : 0;
    while (n > 0 && center(t, n - 1) >= begin) {
        --n;
    }
    while (center(t, n) < begin) {
        ++n;
    }
    return n;
}

} // namespace gr::fringe::array
