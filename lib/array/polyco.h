/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_ARRAY_POLYCO_H
#define INCLUDED_FRINGE_ARRAY_POLYCO_H

#include <gnuradio/fringe/epoch.h>
#include <string>
#include <vector>

namespace gr::fringe::array {

/*!
 * A file of TEMPO's: polynomials of a pulsar's phase, each for some minutes.
 *
 * A polynomial is two lines and its coefficients, three a line, exponents with D or E:
 *
 *     name date time TMID DM doppler log10(rms)     TMID in days, MJD of UTC
 *     RPHASE F0 observatory span count frequency    Hz, minutes, MHz
 */
class polyco
{
public:
    //! Throws std::invalid_argument: file, line, field, value, and what would be right.
    polyco(const std::string& path, const std::string& pulsar);

    //! Phase in turns; throws std::runtime_error where no polynomial covers the instant.
    long double turns(const epoch& t) const;
    double frequency() const { return d_segments.front().frequency; }
    double dispersion() const { return d_segments.front().dispersion; }

    struct segment {
        std::string pulsar;
        epoch middle;
        double dispersion = 0; // pc/cm^3
        long double phase = 0; // turns
        long double rate = 0;  // turns a second
        double span = 0;       // minutes
        double frequency = 0;  // Hz
        std::vector<double> coefficients;
    };

private:
    void keep_only(const std::string& pulsar);
    std::string coverage() const;

    std::string d_path;
    std::vector<segment> d_segments;
};

//! Phases of more turns have hardly a digit left after the point: a long double has 64 bits.
constexpr long double maximum_turns = 1e16L;

//! Seconds from b to a, in extended precision.
long double seconds_between(const epoch& a, const epoch& b);

} // namespace gr::fringe::array

#endif /* INCLUDED_FRINGE_ARRAY_POLYCO_H */
