/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/polyco_file.h"
#include "array/files_read.h"
#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// A number with a point, whatever the locale of the program says; false when the text is
// anything else.
bool to_number(const std::string& text, long double& value)
{
    std::istringstream s(text);
    s.imbue(std::locale::classic());
    return s >> value && s.peek() == EOF && std::isfinite(static_cast<double>(value));
}

constexpr double maximum_span = 14400; // minutes

// The lines of a file and where in them one is.
class reader
{
public:
    explicit reader(const std::string& path) : d_path(path), d_file(read_text_file(path))
    {
    }

    // The next line that is not blank; false at the end.
    bool next()
    {
        std::string text;
        while (std::getline(d_file, text)) {
            ++d_line;
            std::istringstream words(text);
            d_words.clear();
            for (std::string word; words >> word;) {
                d_words.push_back(word);
            }
            if (!d_words.empty()) {
                return true;
            }
        }
        return false;
    }

    [[noreturn]] void
    refuse(const std::string& field, const std::string& value, const std::string& right)
    {
        throw std::invalid_argument(d_path + ": line " + std::to_string(d_line) + ": " +
                                    field + ": " + value + ": " + right);
    }

    // Throws unless the line has this number of words.
    void need(std::size_t words, const std::string& what, const std::string& right)
    {
        if (d_words.size() < words) {
            refuse(what, std::to_string(d_words.size()) + " values", right);
        }
    }

    const std::string& word(std::size_t k) const { return d_words[k]; }
    std::size_t words() const { return d_words.size(); }

    long double number(std::size_t k, const std::string& field, const std::string& right)
    {
        std::string text = d_words[k];
        std::replace_if(
            text.begin(), text.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
        long double value = 0;
        if (!to_number(text, value)) {
            refuse(field, d_words[k], right);
        }
        return value;
    }

private:
    const std::string d_path;
    std::istringstream d_file;
    std::size_t d_line = 0;
    std::vector<std::string> d_words;
};

// Whole days and their fraction separately: as one number the instant would lose digits.
epoch from_mjd(reader& file, std::size_t k)
{
    const std::string right =
        "must be a date in days after 1970, as in 60482.583333333333";
    const long double days = file.number(k, "TMID", right);
    if (days < 40587 || days > 1e7L) {
        file.refuse("TMID", file.word(k), right);
    }
    const std::string& text = file.word(k);
    const std::size_t point = text.find('.');
    long double fraction = 0;
    if (point != std::string::npos) {
        to_number("0" + text.substr(point), fraction);
    }
    const long double seconds = fraction * 86400;
    epoch t;
    t.seconds = static_cast<std::uint64_t>(days - 40587) * 86400 +
                static_cast<std::uint64_t>(seconds);
    t.attos =
        static_cast<std::uint64_t>((seconds - std::floor(seconds)) * 1000000000000000000);
    return t;
}

void read_coefficients(reader& file, std::size_t count, polyco::segment& s)
{
    while (s.coefficients.size() < count) {
        const std::string right = "the polynomial has " + std::to_string(count) +
                                  " coefficients, of which " +
                                  std::to_string(s.coefficients.size()) + " were found";
        if (!file.next()) {
            file.refuse("coefficients", "the file ends", right);
        }
        for (std::size_t k = 0; k < file.words(); ++k) {
            if (s.coefficients.size() == count) {
                file.refuse("coefficients", file.word(k), "one too many of them");
            }
            s.coefficients.push_back(static_cast<double>(file.number(
                k, "coefficient", "must be a number like -1.23456789D-05; " + right)));
        }
    }
}

// The largest phase, either sign, that the polynomial can have within its span.
long double reach(const polyco::segment& s)
{
    const long double minutes = static_cast<long double>(s.span) / 2;
    long double sum = 0;
    for (auto c = s.coefficients.rbegin(); c != s.coefficients.rend(); ++c) {
        sum = sum * minutes + std::abs(*c);
    }
    return std::abs(s.phase) + 60 * minutes * s.rate + sum;
}

polyco::segment read_segment(reader& file)
{
    polyco::segment s;
    file.need(5,
              "first line of a polynomial",
              "must be name, date, time, TMID, DM, doppler shift, log of the fit's rms");
    s.pulsar = file.word(0);
    s.middle = from_mjd(file, 3);
    s.dispersion =
        static_cast<double>(file.number(4, "DM", "must be a number, in pc/cm^3"));

    if (!file.next()) {
        file.refuse("second line of a polynomial", "the file ends", "it is cut off");
    }
    file.need(6,
              "second line of a polynomial",
              "must be RPHASE, F0, observatory, span, number of coefficients, frequency");
    s.phase = file.number(0, "RPHASE", "must be a number of turns");
    s.rate = file.number(1, "F0", "must be a number of turns a second");
    s.span = static_cast<double>(file.number(3, "span", "must be a number of minutes"));
    if (!(s.rate > 0)) {
        file.refuse("F0", file.word(1), "must be positive, in turns a second");
    }
    if (!(s.span > 0) || !(s.span <= maximum_span)) {
        file.refuse(
            "span", file.word(3), "must be above 0 minutes and at most 14400, ten days");
    }
    const std::string whole = "must be a whole number from 1 to 100";
    const long double count = file.number(4, "number of coefficients", whole);
    if (count < 1 || count > 100 || count != std::floor(count)) {
        file.refuse("number of coefficients", file.word(4), whole);
    }
    s.frequency =
        1e6 * static_cast<double>(file.number(5, "frequency", "must be a number of MHz"));
    read_coefficients(file, static_cast<std::size_t>(count), s);
    if (!(reach(s) < maximum_turns)) {
        std::ostringstream turns;
        turns << reach(s) << " turns";
        file.refuse("phase within the span", turns.str(), "must stay below 1e16 turns");
    }
    return s;
}

} // namespace

std::vector<polyco::segment> read_polyco(const std::string& path)
{
    reader file(path);
    std::vector<polyco::segment> all;
    while (file.next()) {
        all.push_back(read_segment(file));
    }
    if (all.empty()) {
        throw std::invalid_argument(path + ": is empty: give a polyco file");
    }
    return all;
}

} // namespace gr::fringe::array
