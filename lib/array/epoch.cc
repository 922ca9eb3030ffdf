/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cmath>
#include <gnuradio/fringe/epoch.h>
#include <limits>
#include <stdexcept>

namespace gr::fringe {

namespace {

using wide = __int128;
constexpr wide attos_per_second = 1000000000000000000;

// Instants and differences are reckoned as one 128-bit number of attoseconds, which spans
// 64-bit seconds with room to spare.
wide total(const epoch& t) { return t.seconds * attos_per_second + t.attos; }

epoch from_total(wide attos)
{
    if (attos < 0) {
        throw std::invalid_argument(
            "epoch: the instant lies before 1970-01-01, where the "
            "count of UTC seconds begins");
    }
    epoch t;
    t.seconds = static_cast<std::uint64_t>(attos / attos_per_second);
    t.attos = static_cast<std::uint64_t>(attos % attos_per_second);
    return t;
}

wide attos_of(double seconds)
{
    if (!(std::abs(seconds) < 1e18)) {
        throw std::invalid_argument("epoch: a time difference of " +
                                    std::to_string(seconds) +
                                    " s; it must be a finite number");
    }
    // Whole and fractional part separately: the subtraction is exact, and the fraction
    // keeps all its digits whatever the size of the whole.
    const double whole = std::trunc(seconds);
    const long double fraction = static_cast<long double>(seconds - whole) * 1e18L;
    return static_cast<wide>(whole) * attos_per_second +
           static_cast<wide>(std::round(fraction));
}

// n / d in attoseconds, rounded to nearest; d > 0 and below 2^65.
wide quotient(wide n, wide d)
{
    wide whole = n / d;
    wide rest = n % d;
    if (rest < 0) {
        rest += d;
        --whole;
    }
    return whole * attos_per_second + (rest * attos_per_second + d / 2) / d;
}

} // namespace

epoch epoch::from_pair(std::uint64_t seconds, double fraction)
{
    epoch t;
    t.seconds = seconds;
    return t.plus_seconds(fraction);
}

double epoch::fraction() const
{
    const double f = static_cast<double>(attos) / 1e18;
    return f < 1 ? f : std::nextafter(1.0, 0.0);
}

epoch epoch::plus_half_samples(std::int64_t halves, double rate) const
{
    if (!(rate > 0) || !(rate < 9e18)) {
        throw std::invalid_argument("epoch: a sample rate of " + std::to_string(rate) +
                                    " Hz; it must be positive");
    }
    // A double is an integer times a power of two, so halves / (2 rate) is a fraction of
    // two integers and nothing has to be rounded before the division.
    int exponent = 0;
    wide mantissa = static_cast<wide>(std::ldexp(std::frexp(rate, &exponent), 53));
    exponent -= 53;
    while (mantissa % 2 == 0) {
        mantissa /= 2;
        ++exponent;
    }
    if (exponent >= 0) {
        return from_total(total(*this) + quotient(halves, mantissa << (exponent + 1)));
    }
    if (exponent >= -63) {
        const wide n = static_cast<wide>(halves) * (static_cast<wide>(1) << -exponent);
        return from_total(total(*this) + quotient(n, 2 * mantissa));
    }
    // Slower than a sample in a thousand seconds: a double will do.
    return plus_seconds(static_cast<double>(halves) / (2 * rate));
}

epoch epoch::plus_seconds(double dt) const
{
    return from_total(total(*this) + attos_of(dt));
}

double epoch::seconds_since(const epoch& other) const
{
    return static_cast<double>(static_cast<long double>(total(*this) - total(other)) /
                               1e18L);
}

double epoch::mjd_seconds() const
{
    constexpr double mjd_1970 = 40587.0 * 86400.0;
    return mjd_1970 + static_cast<double>(seconds) + fraction();
}

} // namespace gr::fringe
