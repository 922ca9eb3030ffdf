/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <algorithm>
#include <array>
#include <cstdio>
#include <gnuradio/fringe/epoch.h>
#include <regex>
#include <stdexcept>

namespace gr {
namespace fringe {

namespace {

struct date {
    std::int64_t year;
    unsigned month, day;
};

// Days since 1970-01-01 of a Gregorian date. Years are counted from March, so that the
// leap day is the last of the year, and days in eras of 400 years.
std::int64_t days_of(const date& d)
{
    const std::int64_t y = d.year - (d.month <= 2);
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
    const std::int64_t year_of_era = y - era * 400;
    const std::int64_t day_of_year =
        (153 * (d.month > 2 ? d.month - 3 : d.month + 9) + 2) / 5 + d.day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
           day_of_year - 719468;
}

date date_of(std::int64_t days)
{
    days += 719468; // from 0000-03-01
    const std::int64_t era = days / 146097;
    const std::int64_t day = days - era * 146097;
    const std::int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const std::int64_t day_of_year = day - (365 * year + year / 4 - year / 100);
    const std::int64_t month = (5 * day_of_year + 2) / 153; // from March
    date d;
    d.day = static_cast<unsigned>(day_of_year - (153 * month + 2) / 5 + 1);
    d.month = static_cast<unsigned>(month < 10 ? month + 3 : month - 9);
    d.year = year + era * 400 + (d.month <= 2);
    return d;
}

bool exists(const date& d)
{
    if (d.month < 1 || d.month > 12 || d.day < 1) {
        return false;
    }
    const date back = date_of(days_of(d));
    return back.month == d.month && back.day == d.day;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw std::invalid_argument("'" + text + "' is not a time in UTC: " + why +
                                "; write it like 2026-06-12T11:20:40.25");
}

} // namespace

epoch epoch::from_iso(const std::string& text)
{
    static const std::regex form(
        R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|\+00:00)?)");
    std::smatch part;
    if (!std::regex_match(text, part, form)) {
        refuse(text, "it is not written as ISO 8601");
    }
    const auto number = [&part](int i) -> unsigned {
        return part[i].matched ? static_cast<unsigned>(std::stoul(part[i])) : 0;
    };
    const date d{number(1), number(2), number(3)};
    if (d.year < 1970) {
        refuse(text, "it lies before 1970");
    }
    if (!exists(d)) {
        refuse(text, "there is no such day");
    }
    if (number(4) > 23 || number(5) > 59 || number(6) > 59) {
        refuse(text, "there is no such time of day");
    }
    epoch t;
    t.seconds = static_cast<std::uint64_t>(days_of(d)) * 86400 + number(4) * 3600 +
                number(5) * 60 + number(6);
    std::string digits = part[7];
    digits.resize(18, '0'); // attoseconds; what is smaller is dropped
    t.attos = std::stoull(digits);
    return t;
}

std::string epoch::iso(int decimals) const
{
    decimals = std::clamp(decimals, 0, 18);
    std::uint64_t unit = 1; // attoseconds of the last decimal
    for (int i = decimals; i < 18; ++i) {
        unit *= 10;
    }
    std::uint64_t ticks = attos / unit + (attos % unit >= unit - attos % unit ? 1 : 0);
    std::uint64_t whole = seconds;
    if (ticks == 1000000000000000000u / unit) { // rounded up to the next second
        ticks = 0;
        ++whole;
    }
    const date d = date_of(static_cast<std::int64_t>(whole / 86400));
    const unsigned s = static_cast<unsigned>(whole % 86400);
    std::array<char, 80> out;
    int n = std::snprintf(out.data(),
                          out.size(),
                          "%04lld-%02u-%02uT%02u:%02u:%02u",
                          static_cast<long long>(d.year),
                          d.month,
                          d.day,
                          s / 3600,
                          s / 60 % 60,
                          s % 60);
    if (decimals > 0) {
        std::snprintf(out.data() + n,
                      out.size() - static_cast<std::size_t>(n),
                      ".%0*llu",
                      decimals,
                      static_cast<unsigned long long>(ticks));
    }
    return out.data();
}

} // namespace fringe
} // namespace gr
