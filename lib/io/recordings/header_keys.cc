/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/header_keys.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace gr::fringe::io {

namespace {

bool is_number(const std::string& text, double& value)
{
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size();
}

bool is_same(const std::string& a, const std::string& b)
{
    double x = 0, y = 0;
    if (is_number(a, x) && is_number(b, y))
        return x == y;
    return a.size() == b.size() &&
           std::equal(
               a.begin(), a.end(), b.begin(), [](unsigned char c, unsigned char d) {
                   return std::toupper(c) == std::toupper(d);
               });
}

} // namespace

void refuse_other_values(const std::string& where,
                         const std::vector<known_key>& keys,
                         const std::function<std::string(const std::string&)>& value)
{
    for (const known_key& key : keys) {
        const std::string given = value(key.name);
        std::string names;
        bool known = given.empty();
        for (const std::string& v : key.values) {
            known = known || is_same(given, v);
            names += (names.empty() ? "" : ", ") + v;
        }
        if (!known)
            throw std::invalid_argument(where + ": " + key.name + " " + given + "; " +
                                        names + " can be read");
    }
}

void refuse_contradiction(const std::string& where, const two_numbers& numbers)
{
    const double a = std::abs(numbers.a), b = std::abs(numbers.b);
    if (a == 0 || b == 0 ||
        (b >= a * (1 - numbers.tolerance) &&
         b <= a * numbers.maximum * (1 + numbers.tolerance)))
        return;
    throw damaged_recording(where + ": " + numbers.first + " contradicts " +
                            numbers.second);
}

std::string number_text(double value)
{
    std::ostringstream s;
    s.precision(10);
    s << value;
    return s.str();
}

} // namespace gr::fringe::io
