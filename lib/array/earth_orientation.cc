/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/files_read.h"
#include "array/lagrange.h"
#include "array/leap_seconds.h"
#include <cmath>
#include <erfam.h>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

constexpr double mjd_1970 = 40587;

double mjd_of(const epoch& t)
{
    return mjd_1970 + (static_cast<double>(t.seconds) + t.fraction()) / 86400;
}

epoch epoch_of(double mjd) { return epoch().plus_seconds((mjd - mjd_1970) * 86400); }

[[noreturn]] void
fail(const std::string& path, std::size_t line, const std::string& sentence)
{
    throw std::invalid_argument(path + ", line " + std::to_string(line) + ": " +
                                sentence);
}

// Columns of finals2000A, from 0. The flags say I for measured, P for predicted; lines
// behind the last prediction have blanks there.
constexpr std::size_t polar_flag = 16, ut1_flag = 57, last_column = 68;

bool is_flag(char c) { return c == 'I' || c == 'P'; }

bool is_finals(const std::string& text)
{
    return text.size() > polar_flag && text[polar_flag - 1] == ' ' &&
           is_flag(text[polar_flag]);
}

bool without_values(const std::string& text)
{
    return text.size() <= ut1_flag || text[polar_flag] == ' ' || text[ut1_flag] == ' ';
}

double column(const std::string& path,
              std::size_t line,
              const std::string& text,
              std::size_t first,
              std::size_t width)
{
    std::istringstream in(text.substr(first, width));
    double value = 0;
    if (!(in >> value)) {
        fail(path,
             line,
             "columns " + std::to_string(first + 1) + " to " +
                 std::to_string(first + width) +
                 " should hold a number, as in finals2000A");
    }
    return value;
}

} // namespace

void earth_orientation::add(
    double mjd, double dut1, double xp, double yp, std::size_t line)
{
    if (!(mjd >= mjd_1970 && mjd < 1e6)) {
        fail(
            d_path, line, "an MJD of " + std::to_string(mjd) + "; it must be after 1970");
    }
    if (!d_mjd.empty() && !(mjd > d_mjd.back())) {
        fail(d_path, line, "the days must ascend, and this one does not");
    }
    if (!(std::abs(dut1) < 1 && std::abs(xp) < 2 && std::abs(yp) < 2)) {
        fail(d_path,
             line,
             "UT1 - UTC (s) must be below 1 and polar motion (arcsec) below 2");
    }
    d_mjd.push_back(mjd);
    d_ut1_tai.push_back(dut1 - leap_seconds(epoch_of(mjd)));
    d_xp.push_back(xp * ERFA_DAS2R);
    d_yp.push_back(yp * ERFA_DAS2R);
}

earth_orientation earth_orientation::from_file(const std::string& path)
{
    earth_orientation table;
    table.d_path = path;
    std::istringstream file(read_text_file(path));
    std::string text;
    std::size_t line = 0;
    bool over = false; // finals2000A goes on with lines that have no values
    while (std::getline(file, text)) {
        ++line;
        if (text.find('\0') != std::string::npos) {
            fail(path, line, "is not text");
        }
        if (is_finals(text) && text.size() >= last_column && is_flag(text[ut1_flag])) {
            const auto number = [&](std::size_t first, std::size_t width) {
                return column(path, line, text, first, width);
            };
            table.add(number(7, 8), number(58, 10), number(18, 9), number(37, 9), line);
            over = true;
            continue;
        }
        std::istringstream in(text.substr(0, text.find('#')));
        std::vector<std::string> words;
        for (std::string word; in >> word;) {
            words.push_back(word);
        }
        if (words.empty() || (over && without_values(text))) {
            continue;
        }
        std::vector<double> v;
        for (const std::string& word : words) {
            std::istringstream digits(word);
            double value = 0;
            if (!(digits >> value) || !digits.eof()) {
                fail(path, line, "'" + word.substr(0, 20) + "' is not a number");
            }
            v.push_back(value);
        }
        if (v.size() != 4) {
            fail(path,
                 line,
                 std::to_string(v.size()) + " numbers; a line has four, MJD, UT1 - UTC "
                                            "(s), xp and yp (arcsec), or is one of "
                                            "finals2000A");
        }
        table.add(v[0], v[1], v[2], v[3], line);
    }
    if (table.d_mjd.size() < 2) {
        throw std::invalid_argument(
            path + ": has " + std::to_string(table.d_mjd.size()) +
            " days of earth orientation; at least two are needed");
    }
    return table;
}

orientation earth_orientation::at(const epoch& t) const
{
    const double mjd = mjd_of(t);
    if (!(mjd >= d_mjd.front() && mjd <= d_mjd.back())) {
        throw std::invalid_argument(
            d_path + ": " + t.iso(0) + " is not in it; it goes from " +
            epoch_of(d_mjd.front()).iso(0) + " to " + epoch_of(d_mjd.back()).iso(0));
    }
    const std::size_t count = std::min<std::size_t>(4, d_mjd.size());
    const std::size_t first = first_neighbor(d_mjd, mjd, count);
    const std::vector<double> w = lagrange_weights(d_mjd, first, count, mjd);
    orientation o;
    for (std::size_t i = 0; i < count; ++i) {
        o.dut1 += w[i] * d_ut1_tai[first + i];
        o.xp += w[i] * d_xp[first + i];
        o.yp += w[i] * d_yp[first + i];
    }
    o.dut1 += leap_seconds(t);
    return o;
}

orientation orientation_of(const observation& obs, const epoch& t)
{
    return obs.earth_orientation ? obs.earth_orientation->at(t)
                                 : orientation{obs.dut1, 0, 0};
}

std::string orientation_warning(const observation& obs)
{
    if (obs.earth_orientation || obs.dut1 != 0) {
        return "";
    }
    return "observation: neither earth_orientation nor dut1 is given; UT1 - UTC and "
           "polar "
           "motion are taken as 0, which misses the sky by up to 13 arcsec";
}

} // namespace gr::fringe::array
