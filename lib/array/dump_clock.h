/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H
#define INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H

#include "array/timeline.h"

namespace gr::fringe::array {

/*!
 * Says which dump a spectrum belongs to.
 *
 * By seconds: dump k is the interval [k T, (k+1) T) since 1970-01-01 UTC, T rounded to a
 * picosecond, and a spectrum belongs to the dump in which its center lies; so dumps of
 * different runs and machines line up. By spectra: dump k is the spectra k M ... (k+1) M
 * - 1 counted from the first of the stream, gaps included.
 *
 * Counters and integer arithmetic only, so nothing drifts.
 */
class FRINGE_API dump_clock
{
public:
    //! Exactly one of seconds and spectra is positive; throws std::invalid_argument.
    dump_clock(double seconds, std::uint64_t spectra);

    //! A new length. By spectra, the new dumps are counted from spectrum n on.
    void set_length(double seconds, std::uint64_t spectra, std::uint64_t n);

    double seconds() const { return d_seconds; }
    std::uint64_t spectra() const { return d_spectra; }

    //! Number of the dump that spectrum n of the stream belongs to.
    std::int64_t index(const timeline& t, std::uint64_t n) const;
    //! First spectrum of dump k; when k began before the stream's counter did, 0.
    std::uint64_t first(const timeline& t, std::int64_t k) const;

private:
    double d_seconds = 0;
    std::uint64_t d_spectra = 0;
    std::uint64_t d_origin = 0;
};

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_DUMP_CLOCK_H */
