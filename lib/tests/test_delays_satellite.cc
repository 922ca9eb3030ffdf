/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/vectors.h"
#include "delay_cases.h"
#include <cmath>
#include <erfam.h>
#include <sstream>

using namespace gr::fringe;
using namespace gr::fringe::array;

namespace {

constexpr double c_light = ERFA_CMPS;
constexpr double picosecond = 1e-12;
constexpr double omega = 7.292115e-5; // of the earth, rad/s

// A satellite on a circle in a frame that does not turn, with the ground below it.
struct orbit {
    double radius, rate, inclination;
    vec3 fixed(double t) const
    {
        const double a = rate * t + 1.1;
        return {radius * std::cos(a),
                radius * std::sin(a) * std::cos(inclination),
                radius * std::sin(a) * std::sin(inclination)};
    }
};

vec3 turn(const vec3& r, double angle)
{
    const double s = std::sin(angle), c = std::cos(angle);
    return {c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]};
}

satellite_track
table_of(const orbit& o, const epoch& begin, double every, std::size_t count)
{
    std::vector<epoch> times;
    std::vector<vec3> itrf;
    for (std::size_t i = 0; i < count; ++i) {
        const double t = every * static_cast<double>(i);
        times.push_back(begin.plus_seconds(t));
        itrf.push_back(turn(o.fixed(t), -omega * t));
    }
    return {"sat", times, itrf};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_satellite_is_near)
{
    const observation obs = wide_array();
    const epoch begin = epoch::from_iso("2026-06-12T23:00:00");
    // One of GPS from a table of 15 minutes, one in a low orbit from one of 30 s.
    const struct {
        orbit o;
        double every;
        unsigned count;
        double middle;
    } cases[] = {{{26560e3, 1.4585e-4, 0.96}, 900.0, 16u, 5000.0},
                 {{6878e3, 1.1068e-3, 0.9}, 30.0, 80u, 1200.0}};
    for (const auto& entry : cases) {
        const orbit& o = entry.o;
        const double every = entry.every, middle = entry.middle;
        const unsigned count = entry.count;
        const satellite_track track = table_of(o, begin, every, count);
        const delay_model model(obs, track);
        for (const double t : {middle, middle + 33.25, middle + 400}) {
            const epoch now = begin.plus_seconds(t);
            // Better than it says.
            const vec3 miss = add(track.at(now), scale(turn(o.fixed(t), -omega * t), -1));
            BOOST_CHECK_LE(std::sqrt(dot(miss, miss)), track.uncertainty(now) + 1e-7);
            BOOST_CHECK_LT(track.uncertainty(now), 0.02);
            // The same in the frame that does not turn, where all is plain.
            const auto arrives = [&](std::size_t a, double sent) {
                double at = sent;
                for (int i = 0; i < 40; ++i) {
                    const vec3 r = add(o.fixed(sent),
                                       scale(turn(obs.antennas[a].itrf, omega * at), -1));
                    at = sent + std::sqrt(dot(r, r)) / c_light;
                }
                return at - sent;
            };
            // When antenna 0 hears at t what was sent at t - way.
            double way = 0;
            for (int i = 0; i < 40; ++i) {
                way = arrives(0, t - way);
            }
            const auto d = model.arrival(now);
            for (std::size_t a = 0; a < 3; ++a) {
                BOOST_CHECK_SMALL(d[a].seconds - (arrives(a, t - way) - way), picosecond);
            }
            const auto later = model.arrival(now.plus_seconds(0.125));
            const auto before = model.arrival(now.plus_seconds(-0.125));
            BOOST_CHECK_SMALL((later[2].seconds - before[2].seconds) / 0.25 - d[2].rate,
                              1e-10);
        }
        const auto fits = model.polynomials(begin.plus_seconds(middle), 10, 8);
        const epoch t = begin.plus_seconds(middle + 7.75);
        BOOST_CHECK_LE(std::abs(fits[2].value(t) - model.arrival(t)[2].seconds),
                       fits[2].error);
        BOOST_CHECK_LT(fits[2].error, picosecond);
    }
}

BOOST_AUTO_TEST_CASE(a_satellite_is_known_in_its_table_alone)
{
    const observation obs = wide_array();
    const epoch begin = epoch::from_iso("2026-06-12T23:00:00");
    const satellite_track track = table_of({26560e3, 1.4585e-4, 0.96}, begin, 900, 16);
    const delay_model model(obs, track);
    const std::vector<std::string> words{
        "satellite 'sat'", "not in the table", "2026-06-12T23:00:00.000"};
    check_refused<std::invalid_argument>([&] { track.at(begin.plus_seconds(-1)); },
                                         words);
    check_refused<std::invalid_argument>(
        [&] { model.geometric(begin.plus_seconds(15 * 900.0 + 2)); }, words);
    const vec3 entry = track.at(begin.plus_seconds(4 * 900.0));
    const vec3 off = add(
        entry,
        scale(turn(orbit{26560e3, 1.4585e-4, 0.96}.fixed(3600.0), -omega * 3600), -1));
    BOOST_CHECK_SMALL(std::sqrt(dot(off, off)), 1e-6);
    std::string text = "# time x y z\n";
    for (int i = 0; i < 16; ++i) {
        const epoch t = begin.plus_seconds(900.0 * i);
        std::ostringstream row;
        row.precision(17);
        row << t.iso(3) << "Z";
        for (const double x : track.at(t)) {
            row << " " << x;
        }
        text += row.str() + "\n";
    }
    const scratch folder;
    const auto read = satellite_track::from_file(file_with(folder, text));
    const epoch between = begin.plus_seconds(5000);
    const vec3 apart = add(read.at(between), scale(track.at(between), -1));
    BOOST_CHECK_SMALL(std::sqrt(dot(apart, apart)), 1e-6);
    check_refused<std::invalid_argument>(
        [&] {
            satellite_track::from_file(
                file_with(folder, "\n2026-06-12T23:00:00 26560000 0\n"));
        },
        {"eop.txt, line 2", "three numbers"});
    check_refused<std::invalid_argument>(
        [&] { satellite_track::from_file(file_with(folder, "12:00 26560000 0 0\n")); },
        {"eop.txt, line 1", "12:00"});
    // The ends are known less well, and say so.
    BOOST_CHECK_GT(track.uncertainty(begin.plus_seconds(400)),
                   10 * track.uncertainty(begin.plus_seconds(15 * 450.0)));
    check_refused<std::invalid_argument>(
        [&] {
            satellite_track("x", {begin, begin}, {entry});
        },
        {"at least four"});
    check_refused<std::invalid_argument>(
        [&] {
            satellite_track(
                "x", {begin, begin, begin, begin}, {entry, entry, entry, entry});
        },
        {"must ascend"});
    check_refused<std::invalid_argument>(
        [&] {
            satellite_track("km",
                            {begin,
                             begin.plus_seconds(1),
                             begin.plus_seconds(2),
                             begin.plus_seconds(3)},
                            std::vector<vec3>(4, vec3{26560, 0, 0}));
        },
        {"satellite 'km'", "meters in ITRF"});
}
