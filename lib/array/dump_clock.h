/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H
#define INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H

#include <cstdint>
#include <gnuradio/fringe/epoch.h>

namespace gr {
namespace fringe {
namespace array {

/*!
 * Says which dump a spectrum belongs to.
 *
 * By seconds: dump k is the interval [k T, (k+1) T) since 1970-01-01 UTC, and a spectrum
 * belongs to the dump in which its centre lies; so dumps of different runs and machines
 * line up. By spectra: dump k is the spectra k M ... (k+1) M - 1 counted from the first
 * of the stream.
 *
 * The stream of spectra is described by its start (of spectrum 0) and its rate (spectra a
 * second); counters and integer arithmetic only, so nothing drifts.
 */
class FRINGE_API dump_clock
{
public:
    //! Exactly one of seconds and spectra is positive; throws std::invalid_argument.
    dump_clock(double seconds, std::uint64_t spectra);

    //! The stream of spectra that is being cut.
    void set_stream(const epoch& start, double rate);
    //! A new length from the boundary at or after spectrum n on.
    void set_length(double seconds, std::uint64_t spectra);

    double seconds() const { return d_seconds; }
    std::uint64_t spectra() const { return d_spectra; }

    //! Number of the dump that spectrum n belongs to.
    std::int64_t index(std::uint64_t n) const;
    //! First spectrum of the dump after that of spectrum n.
    std::uint64_t next(std::uint64_t n) const;

private:
    double d_seconds;
    std::uint64_t d_spectra;
    epoch d_start;
    double d_rate = 1;
};

} // namespace array
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H */
