/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/yaml_field.h"
#include "array/exact_degrees.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

// Levenshtein's distance: insertions, deletions and replacements between two words.
std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

// from_chars, unlike streams and strtod, reads a point whatever the locale is.
template <class T>
bool parse(const std::string& text, T& value)
{
    const char* first = text.data() + (text.size() > 1 && text[0] == '+');
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, value);
    return error == std::errc() && end == last && std::isfinite(value);
}

std::string replaced(std::string word, const std::string& part, const std::string& by)
{
    const std::size_t at = word.find(part);
    return at == std::string::npos ? word : word.replace(at, part.size(), by);
}

// Files are read in both spellings of English: polarisations are polarizations.
std::string american(const std::string& word)
{
    return replaced(word, "polaris", "polariz");
}
std::string british(const std::string& word)
{
    return replaced(word, "polariz", "polaris");
}

} // namespace

std::string one_of(const std::vector<std::string>& choices)
{
    std::string all;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        all += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
    }
    return all;
}

yaml_field::yaml_field(YAML::Node node, std::string file, std::string path)
    : d_node(std::move(node)), d_file(std::move(file)), d_path(std::move(path))
{
}

void yaml_field::fail(const std::string& why) const
{
    std::string sentence = d_file;
    if (d_node.Mark().line >= 0) {
        sentence += ", line " + std::to_string(d_node.Mark().line + 1);
    }
    if (!d_path.empty()) {
        sentence += ": field " + d_path;
    }
    throw std::invalid_argument(sentence + ": " + why);
}

void yaml_field::allow(const std::vector<std::string>& known) const
{
    if (!d_node.IsMap()) {
        fail("must hold 'key: value' pairs");
    }
    std::vector<std::string> seen;
    for (const auto& entry : d_node) {
        const std::string key =
            american(entry.first.IsScalar() ? entry.first.Scalar() : std::string("?"));
        const yaml_field here(
            entry.first, d_file, d_path.empty() ? key : d_path + "." + key);
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            const auto nearest = std::min_element(
                known.begin(), known.end(), [&key](const auto& a, const auto& b) {
                    return distance(key, a) < distance(key, b);
                });
            here.fail("there is no such field; the nearest is '" + *nearest + "'");
        }
        if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
            here.fail("is given twice");
        }
        seen.push_back(key);
    }
}

std::optional<yaml_field> yaml_field::get(const std::string& key) const
{
    const YAML::Node& node = d_node; // const: looking up adds no key
    const YAML::Node child = node[key] ? node[key] : node[british(key)];
    if (!child) {
        return std::nullopt;
    }
    return yaml_field(child, d_file, d_path.empty() ? key : d_path + "." + key);
}

yaml_field yaml_field::need(const std::string& key) const
{
    const std::optional<yaml_field> f = get(key);
    if (!f) {
        fail("has no '" + key + "', which is needed");
    }
    return *f;
}

std::vector<yaml_field> yaml_field::items() const
{
    if (!d_node.IsSequence()) {
        fail("must be a list");
    }
    std::vector<yaml_field> list;
    for (const YAML::Node& n : d_node) {
        list.emplace_back(n, d_file, d_path + "[" + std::to_string(list.size()) + "]");
    }
    return list;
}

std::string yaml_field::text() const
{
    if (!d_node.IsScalar()) {
        fail("must be one value");
    }
    return d_node.Scalar();
}

std::string yaml_field::choice(const std::vector<std::string>& choices) const
{
    const std::string word = american(text());
    if (std::find(choices.begin(), choices.end(), word) == choices.end()) {
        fail("'" + word + "' is not one of the choices; it must be " + one_of(choices));
    }
    return word;
}

bool yaml_field::flag() const
{
    const std::string word = choice({"true", "false", "yes", "no"});
    return word == "true" || word == "yes";
}

double yaml_field::number() const
{
    double value = 0;
    if (!parse(text(), value)) {
        fail("'" + text() + "' is not a number; write it like 20e6 or -37.5");
    }
    return value;
}

double yaml_field::positive() const
{
    const double value = number();
    if (!(value > 0)) {
        fail(text() + "; it must be positive");
    }
    return value;
}

double yaml_field::seconds() const
{
    double value = 0;
    if (!parse(text(), value) || !(value > 0)) {
        fail("'" + text() +
             "' must be a positive number of seconds; write 100 ms as 0.1");
    }
    return value;
}

std::size_t yaml_field::count() const
{
    const double value = number();
    if (value < 0 || value != std::floor(value) || value > 9e15) {
        fail(text() + "; it must be a whole number, not negative");
    }
    return static_cast<std::size_t>(value);
}

std::array<double, 3> yaml_field::vector() const
{
    const std::vector<yaml_field> list = items();
    if (list.size() != 3) {
        fail("has " + std::to_string(list.size()) +
             " numbers; it must have 3, in meters");
    }
    return {list[0].number(), list[1].number(), list[2].number()};
}

double yaml_field::angle(bool hours) const
{
    const std::string word = text();
    double degrees = 0;
    long double exact = 0;
    if (word.size() > longest_double && parse(word, exact)) {
        return static_cast<double>(exact * exact_pi / 180);
    }
    if (parse(word, degrees)) {
        return degrees * M_PI / 180;
    }
    const bool negative = word[0] == '-';
    const std::size_t first = negative || word[0] == '+';
    const std::size_t unit = word.find_first_of("hd:", first);
    const std::size_t minute = word.find_first_of("m':", unit + 1);
    std::size_t end = word.size();
    if (end > 0 && (word[end - 1] == 's' || word[end - 1] == '"')) {
        --end;
    }
    double parts[3] = {0, 0, 0};
    if (word.empty() || unit == std::string::npos || minute == std::string::npos ||
        minute >= end || !parse(word.substr(first, unit - first), parts[0]) ||
        !parse(word.substr(unit + 1, minute - unit - 1), parts[1]) ||
        !parse(word.substr(minute + 1, end - minute - 1), parts[2]) ||
        std::min({parts[0], parts[1], parts[2]}) < 0 || parts[1] >= 60 ||
        parts[2] >= 60 || (word[unit] == 'h' && !hours)) {
        fail("'" + word + "' is not an angle; write degrees or, e.g., " +
             (hours ? "12h30m49.4s" : "+12d23m28s"));
    }
    degrees = parts[0] + parts[1] / 60 + parts[2] / 3600;
    if (word[unit] == 'h' || (word[unit] == ':' && hours)) {
        degrees *= 15;
    }
    return (negative ? -degrees : degrees) * M_PI / 180;
}

} // namespace gr::fringe::array
