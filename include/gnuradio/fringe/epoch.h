/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_EPOCH_H
#define INCLUDED_FRINGE_EPOCH_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe {

/*!
 * \brief An instant: whole UTC seconds since 1970-01-01 and an exact fraction.
 * \ingroup fringe
 *
 * \details
 * A double that holds today's date resolves 0.2 microseconds, which is thousands of turns
 * of phase at 1 GHz; so an instant is never one double. The fraction is counted in
 * attoseconds (1e-18 s) and the instant of sample n is always computed from the counter
 * n, never by adding up sample periods:
 *
 *     t(n) = epoch + n / rate
 *
 * Seconds are POSIX seconds (UTC without leap seconds), as in UHD's rx_time tag.
 */
struct FRINGE_API epoch {
    std::uint64_t seconds = 0; //!< whole seconds since 1970-01-01T00:00:00 UTC
    std::uint64_t attos = 0;   //!< attoseconds, 0 ... 1e18 - 1

    //! From UHD's pair (whole seconds, fraction of a second in [0, 1)).
    static epoch from_pair(std::uint64_t seconds, double fraction);

    //! From ISO 8601 text in UTC, e.g. "2026-06-12T11:20:40.25" (a trailing Z or "+00:00"
    //! is accepted). Throws std::invalid_argument with the text and an example.
    static epoch from_iso(const std::string& text);

    //! The fraction of a second, in [0, 1).
    double fraction() const;

    //! The instant n / rate later (n may be negative; half samples are allowed, so n is
    //! given in halves). rate in Hz.
    epoch plus_half_samples(std::int64_t halves, double rate) const;

    //! The instant n / rate later.
    epoch plus_samples(std::int64_t n, double rate) const
    {
        return plus_half_samples(2 * n, rate);
    }

    //! The instant dt seconds later (dt may be negative); exact to 1e-16 of dt.
    epoch plus_seconds(double dt) const;

    //! this - other in seconds. Exact to a double's resolution of the difference.
    double seconds_since(const epoch& other) const;

    //! Modified Julian Date in seconds (UTC), as MeasurementSets count; 0.5 us
    //! resolution.
    double mjd_seconds() const;

    //! ISO 8601 text with the given number of decimals of a second.
    std::string iso(int decimals = 6) const;

    bool operator==(const epoch& o) const
    {
        return seconds == o.seconds && attos == o.attos;
    }
    bool operator!=(const epoch& o) const { return !(*this == o); }
    bool operator<(const epoch& o) const
    {
        return seconds != o.seconds ? seconds < o.seconds : attos < o.attos;
    }
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_EPOCH_H */
