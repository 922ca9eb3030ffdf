/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/sky_frames.h"
#include "array/leap_seconds.h"
#include <erfa.h>
#include <erfam.h>
#include <map>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

using place = std::array<double, 2>;

struct instant {
    double days = 0, fraction = 0; // terrestrial time, Julian date in two parts
};

instant terrestrial(const epoch& t)
{
    const double seconds =
        static_cast<double>(t.seconds % 86400) + t.fraction() + leap_seconds(t) + 32.184;
    return {2440587.5 + static_cast<double>(t.seconds / 86400), seconds / 86400};
}

// The direction whose coordinates in a frame, of matrix r, are known.
place turned_back(double r[3][3], const place& p)
{
    double in[3], out[3];
    place q;
    eraS2c(p[0], p[1], in);
    eraTrxp(r, in, out);
    eraC2s(out, &q[0], &q[1]);
    return q;
}

// FK5 and ICRS differ by 23 mas at most, and turn against each other.
place icrs_of_j2000(const place& p)
{
    place q;
    eraFk5hz(p[0], p[1], ERFA_DJ00, 0.0, &q[0], &q[1]);
    return q;
}

// FK5 of another year: its axes precess without those of ICRS.
place of_fk5(const place& p, double year)
{
    instant t;
    eraEpj2jd(year, &t.days, &t.fraction);
    double bias[3][3], precession[3][3], both[3][3];
    eraBp06(t.days, t.fraction, bias, precession, both);
    return icrs_of_j2000(turned_back(precession, p));
}

place of_mean_equator(const place& p, const instant& t)
{
    double both[3][3];
    eraPmat06(t.days, t.fraction, both);
    return turned_back(both, p);
}

place of_true_equator(const place& p, const instant& t)
{
    double both[3][3];
    eraPnm06a(t.days, t.fraction, both);
    return turned_back(both, p);
}

// The right ascension of FK4 has the terms of aberration in it, which the earth's orbit has as
// an ellipse; ERFA takes them out. No proper motion is known: the place is that of the year.
place of_fk4(const place& p, double equinox, double year)
{
    double precession[3][3];
    place at_1950 = p;
    if (equinox != 1950.0) {
        // Newcomb's angles by the year, from equinox to 1950, as in the Explanatory Supplement.
        const double begin = (equinox - 1900) / 100, span = (1950 - equinox) / 100;
        const double second = ERFA_DAS2R;
        const double zeta =
            second * span * (2304.250 + 1.396 * begin + span * (0.302 + 0.018 * span));
        const double z = zeta + second * span * span * 0.791;
        const double theta =
            second * span * (2004.682 - 0.853 * begin - span * (0.426 + 0.042 * span));
        eraIr(precession);
        eraRz(-zeta, precession);
        eraRy(theta, precession);
        eraRz(-z, precession);
        double in[3], out[3];
        eraS2c(p[0], p[1], in);
        eraRxp(precession, in, out);
        eraC2s(out, &at_1950[0], &at_1950[1]);
    }
    place q;
    eraFk45z(at_1950[0], at_1950[1], year, &q[0], &q[1]);
    return icrs_of_j2000(q);
}

place of_ecliptic(const place& p, const instant& t)
{
    place q;
    eraEceq06(t.days, t.fraction, p[0], p[1], &q[0], &q[1]);
    return q;
}

place of_galactic(const place& p)
{
    place q;
    eraG2icrs(p[0], p[1], &q[0], &q[1]);
    return q;
}

// The pole stands at galactic 47.37 +6.32 degrees, the zero of longitude at 137.37 0.
place of_supergalactic(const place& p)
{
    double turn[3][3];
    eraIr(turn);
    eraRz(ERFA_DD2R * 47.37, turn);
    eraRy(ERFA_DD2R * (90 - 6.32), turn);
    eraRz(ERFA_DD2R * 90, turn);
    return of_galactic(turned_back(turn, p));
}

// Seen from the middle of the earth on the day: aberration and the light's bend are in it.
place of_apparent(const place& p, const instant& t)
{
    eraASTROM context;
    double origins;
    eraApci13(t.days, t.fraction, &context, &origins);
    place q;
    eraAticq(eraAnp(p[0] + origins), p[1], &context, &q[0], &q[1]);
    return q;
}

using turn = place (*)(const place& p, double year, const epoch& t);

const std::map<std::string, turn>& turns()
{
    static const instant j2000{ERFA_DJ00, 0};
    static const std::map<std::string, turn> known = {
        {"ICRS", [](const place& p, double, const epoch&) { return p; }},
        {"J2000", [](const place& p, double, const epoch&) { return icrs_of_j2000(p); }},
        {"FK5",
         [](const place& p, double year, const epoch&) { return of_fk5(p, year); }},
        {"FK4",
         [](const place& p, double year, const epoch&) { return of_fk4(p, year, year); }},
        {"B1950",
         [](const place& p, double, const epoch&) { return of_fk4(p, 1950.0, 1950.0); }},
        // The VLA's places in B1950 are those of the autumn of 1979.
        {"B1950_VLA",
         [](const place& p, double, const epoch&) { return of_fk4(p, 1950.0, 1979.9); }},
        {"GALACTIC", [](const place& p, double, const epoch&) { return of_galactic(p); }},
        {"SUPERGAL",
         [](const place& p, double, const epoch&) { return of_supergalactic(p); }},
        {"ECLIPTIC",
         [](const place& p, double, const epoch&) { return of_ecliptic(p, j2000); }},
        {"MECLIPTIC",
         [](const place& p, double, const epoch& t) {
             return of_ecliptic(p, terrestrial(t));
         }},
        {"JMEAN",
         [](const place& p, double, const epoch& t) {
             return of_mean_equator(p, terrestrial(t));
         }},
        {"JTRUE",
         [](const place& p, double, const epoch& t) {
             return of_true_equator(p, terrestrial(t));
         }},
        {"APP",
         [](const place& p, double, const epoch& t) {
             return of_apparent(p, terrestrial(t));
         }},
    };
    return known;
}

} // namespace

const std::vector<std::string>& sky_frames()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& entry : turns()) {
            all.push_back(entry.first);
        }
        return all;
    }();
    return names;
}

std::array<double, 2> icrs_of_frame(const std::string& frame,
                                    double year,
                                    double longitude,
                                    double latitude,
                                    const epoch& t)
{
    const auto found = turns().find(frame);
    if (found == turns().end()) {
        throw std::invalid_argument("frame: " + frame + ": is not known");
    }
    place p = found->second({longitude, latitude}, year, t);
    return {eraAnp(p[0]), p[1]};
}

} // namespace gr::fringe::array
