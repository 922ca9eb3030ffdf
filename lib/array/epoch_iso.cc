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
#include <stdexcept>
#include <string>

namespace gr::fringe {

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

// Walks through a text, taking what is there.
class scanner
{
public:
    explicit scanner(const std::string& text) : d_text(text) {}

    std::string digits()
    {
        const std::size_t first = d_at;
        while (d_at < d_text.size() && d_text[d_at] >= '0' && d_text[d_at] <= '9') {
            ++d_at;
        }
        return d_text.substr(first, d_at - first);
    }
    bool number(std::size_t length, unsigned& value)
    {
        const std::string all = digits();
        if (all.size() != length) {
            return false;
        }
        value = static_cast<unsigned>(std::stoul(all));
        return true;
    }
    bool take(const char* one_of)
    {
        const std::string choices = one_of;
        const bool there =
            d_at < d_text.size() && choices.find(d_text[d_at]) != std::string::npos;
        d_at += there;
        return there;
    }
    std::string rest() const { return d_text.substr(d_at); }

private:
    const std::string& d_text;
    std::size_t d_at = 0;
};

[[noreturn]] void refuse(const std::string& text, const std::string& why)
{
    throw std::invalid_argument("'" + text + "' is not a time in UTC: " + why +
                                "; write it like 2026-06-12T11:20:40.25");
}

} // namespace

epoch epoch::from_iso(const std::string& text)
{
    scanner scan(text);
    unsigned year = 0, hour = 0, minute = 0, second = 0;
    std::string digits;
    date d{};
    bool good = scan.number(4, year) && scan.take("-") && scan.number(2, d.month) &&
                scan.take("-") && scan.number(2, d.day);
    d.year = year;
    if (good && scan.take("T ")) {
        good = scan.number(2, hour) && scan.take(":") && scan.number(2, minute);
        if (good && scan.take(":")) {
            good = scan.number(2, second);
            if (good && scan.take(".")) {
                digits = scan.digits();
                good = !digits.empty();
            }
        }
    }
    if (!good || !(scan.rest() == "" || scan.rest() == "Z" || scan.rest() == "+00:00")) {
        refuse(text, "it is not written as ISO 8601");
    }
    if (d.year < 1970) {
        refuse(text, "it lies before 1970");
    }
    if (!exists(d)) {
        refuse(text, "there is no such day");
    }
    if (hour > 23 || minute > 59 || second > 59) {
        refuse(text, "there is no such time of day");
    }
    epoch t;
    t.seconds = static_cast<std::uint64_t>(days_of(d)) * 86400 + hour * 3600 +
                minute * 60 + second;
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

} // namespace gr::fringe
