/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/satellite.h"
#include "array/files_read.h"
#include "array/lagrange.h"
#include "array/leap_seconds.h"
#include "array/vectors.h"
#include <cmath>
#include <erfam.h>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

constexpr std::size_t points = 10;

constexpr double earth_rotation_rate = 7.292115e-5;

// The coordinates of a point that stands still, after the earth has turned for dt.
vec3 turned(const vec3& r, double dt)
{
    const double s = std::sin(earth_rotation_rate * dt);
    const double c = std::cos(earth_rotation_rate * dt);
    return {c * r[0] + s * r[1], c * r[1] - s * r[0], r[2]};
}

} // namespace

satellite_track::satellite_track(std::string name,
                                 const std::vector<epoch>& times,
                                 std::vector<vec3> itrf)
    : d_name(std::move(name)), d_itrf(std::move(itrf))
{
    const std::string here = "satellite '" + d_name + "': ";
    if (times.size() != d_itrf.size() || times.size() < 4) {
        throw std::invalid_argument(here + std::to_string(times.size()) + " times and " +
                                    std::to_string(d_itrf.size()) +
                                    " positions; there must be as many, and at least "
                                    "four");
    }
    d_begin = times.front();
    d_end = times.back();
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0 && !(times[i - 1] < times[i])) {
            throw std::invalid_argument(here + "its times must ascend; " +
                                        times[i].iso(3) + " follows " +
                                        times[i - 1].iso(3));
        }
        const double radius = std::sqrt(dot(d_itrf[i], d_itrf[i]));
        if (!(radius > 6.3e6 && radius < 1e10)) {
            throw std::invalid_argument(
                here + "at " + times[i].iso(3) + " it is " + std::to_string(radius) +
                " m from the center of the earth; positions are meters in ITRF");
        }
        d_seconds.push_back(elapsed_seconds(d_begin, times[i]));
    }
}

satellite_track satellite_track::from_file(const std::string& path)
{
    std::istringstream file(read_text_file(path));
    std::vector<epoch> times;
    std::vector<vec3> itrf;
    std::string text;
    for (std::size_t line = 1; std::getline(file, text); ++line) {
        std::istringstream in(text.substr(0, text.find('#')));
        std::string time, more;
        if (!(in >> time)) {
            continue;
        }
        const std::string here = path + ", line " + std::to_string(line) + ": ";
        try {
            times.push_back(epoch::from_iso(time));
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(here + e.what());
        }
        vec3 r{};
        if (!(in >> r[0] >> r[1] >> r[2]) || in >> more) {
            throw std::invalid_argument(
                here + "a line has a time and three numbers, x, y and z in ITRF meters");
        }
        itrf.push_back(r);
    }
    return {path, times, itrf};
}

double satellite_track::place(const epoch& t, double dt) const
{
    const double x = elapsed_seconds(d_begin, t) + dt;
    if (!(x >= 0 && x <= d_seconds.back())) {
        throw std::invalid_argument("satellite '" + d_name + "': its position at " +
                                    t.plus_seconds(dt).iso(3) +
                                    " is not in the table, which goes from " +
                                    d_begin.iso(3) + " to " + d_end.iso(3));
    }
    return x;
}

vec3 satellite_track::through(std::size_t count, double x) const
{
    count = std::min(count, d_seconds.size());
    const std::size_t first = first_neighbor(d_seconds, x, count);
    const std::vector<double> w = lagrange_weights(d_seconds, first, count, x);
    vec3 r{};
    for (std::size_t i = 0; i < count; ++i) {
        r = add(r, scale(d_itrf[first + i], w[i]));
    }
    return r;
}

vec3 satellite_track::at(const epoch& t, double dt) const
{
    return through(points, place(t, dt));
}

vec3 satellite_track::seen_from(const vec3& where, const epoch& t, double dt) const
{
    // Each round gains the ratio of its speed to that of light, four to five digits.
    vec3 r{};
    for (int round = 0; round < 5; ++round) {
        const double way = std::sqrt(dot(r, r)) / ERFA_CMPS;
        r = add(turned(at(t, dt - way), way), scale(where, -1));
    }
    return r;
}

double satellite_track::uncertainty(const epoch& t) const
{
    const double x = place(t, 0);
    const std::size_t used = std::min(points, d_seconds.size());
    const vec3 d = add(through(used, x), scale(through(used - 2, x), -1));
    return std::sqrt(dot(d, d));
}

} // namespace gr::fringe::array
