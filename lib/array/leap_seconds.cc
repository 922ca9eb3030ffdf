/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/leap_seconds.h"
#include <erfa.h>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// ERFA's status: 0, or 1 for a year behind (or before) what the table was made for.
int look_up(const epoch& t, double& tai_utc)
{
    int year = 0, month = 0, day = 0;
    double zero = 0;
    const double midnight = 2440587.5 + static_cast<double>(t.seconds / 86400);
    if (eraJd2cal(midnight, 0, &year, &month, &day, &zero) < 0) {
        throw std::invalid_argument("time: " + std::to_string(t.seconds) +
                                    " s since 1970 is out of range");
    }
    const double fraction = static_cast<double>(t.seconds % 86400) / 86400;
    const int status = eraDat(year, month, day, fraction, &tai_utc);
    if (status < 0) {
        throw std::invalid_argument("time: " + t.iso(0) +
                                    " has no count of leap seconds");
    }
    return status;
}

} // namespace

double leap_seconds(const epoch& t)
{
    double tai_utc = 0;
    look_up(t, tai_utc);
    return tai_utc;
}

std::string leap_seconds_warning(const epoch& t)
{
    double tai_utc = 0;
    if (look_up(t, tai_utc) == 0) {
        return "";
    }
    return "time: " + t.iso(0) + " is years behind the end of ERFA's table of leap " +
           "seconds; TAI - UTC is taken as " + std::to_string(static_cast<int>(tai_utc)) +
           " s still, and a newer ERFA would know";
}

double elapsed_seconds(const epoch& from, const epoch& to)
{
    return to.seconds_since(from) + (leap_seconds(to) - leap_seconds(from));
}

} // namespace gr::fringe::array
