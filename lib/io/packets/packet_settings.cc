/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_settings.h"
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

constexpr std::size_t max_sources = 65536;

template <class number>
bool read(const std::string& text, number& value)
{
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && at == end && !text.empty();
}

// "3" or "0-15".
bool append_range(const std::string& text, std::vector<std::uint64_t>& to)
{
    const std::size_t dash = text.find('-');
    std::uint64_t first = 0, last = 0;
    const bool ok = read(text.substr(0, dash), first) &&
                    read(dash == std::string::npos ? text : text.substr(dash + 1), last);
    if (!ok || last < first || last - first >= max_sources - to.size()) {
        return false;
    }
    for (std::uint64_t k = first; k <= last; ++k) {
        to.push_back(k);
    }
    return true;
}

} // namespace

packet_settings::packet_settings(std::string preset,
                                 std::map<std::string, std::string> values)
    : d_preset(std::move(preset)), d_values(std::move(values))
{
}

const std::string* packet_settings::find(const std::string& name)
{
    d_known.insert(name);
    const auto found = d_values.find(name);
    return found == d_values.end() ? nullptr : &found->second;
}

void packet_settings::fail(const std::string& name, const std::string& right) const
{
    const auto found = d_values.find(name);
    throw std::invalid_argument("packets " + d_preset + ": " + name + ": " +
                                (found == d_values.end() ? "not given" : found->second) +
                                ": " + right);
}

std::optional<std::uint64_t> packet_settings::whole(const std::string& name)
{
    const std::string* text = find(name);
    std::uint64_t value = 0;
    if (text && !read(*text, value)) {
        fail(name, "must be a whole number");
    }
    return text ? std::optional<std::uint64_t>(value) : std::nullopt;
}

std::uint64_t packet_settings::whole(const std::string& name, std::uint64_t otherwise)
{
    return whole(name).value_or(otherwise);
}

std::optional<double> packet_settings::number(const std::string& name)
{
    const std::string* text = find(name);
    double value = 0;
    if (text && (!read(*text, value) || !(std::abs(value) < 1e15))) {
        fail(name, "must be a number");
    }
    return text ? std::optional<double>(value) : std::nullopt;
}

double packet_settings::number(const std::string& name, double otherwise)
{
    return number(name).value_or(otherwise);
}

bool packet_settings::flag(const std::string& name, bool otherwise)
{
    const std::string given = text(name, otherwise ? "yes" : "no");
    if (given == "yes" || given == "1" || given == "true") {
        return true;
    }
    if (given != "no" && given != "0" && given != "false") {
        fail(name, "must be yes or no");
    }
    return false;
}

std::string packet_settings::text(const std::string& name, const std::string& otherwise)
{
    const std::string* text = find(name);
    return text ? *text : otherwise;
}

std::vector<std::uint64_t> packet_settings::list(const std::string& name)
{
    std::vector<std::uint64_t> all;
    const std::string* text = find(name);
    for (std::size_t from = 0; text && from <= text->size();) {
        const std::size_t comma = std::min(text->find(',', from), text->size());
        if (!append_range(text->substr(from, comma - from), all)) {
            fail(name, "must be whole numbers and ranges, as in 0-15,18");
        }
        from = comma + 1;
    }
    return all;
}

std::uint64_t packet_settings::rate(const std::string& name, std::uint64_t otherwise)
{
    const std::string* text = find(name);
    double hz = static_cast<double>(otherwise);
    if (text && (!read(*text, hz) || !(hz >= 1) || hz > 1e12 || hz != std::floor(hz))) {
        fail(name, "must be a whole number of Hz, 1 to 1e12");
    }
    if (!(hz >= 1)) {
        fail(name, "the packets do not say it; give the rate in Hz");
    }
    return static_cast<std::uint64_t>(hz);
}

std::optional<fringe::epoch> packet_settings::instant(const std::string& name,
                                                      const std::string& otherwise)
{
    const std::string given = text(name, otherwise);
    if (given == "now") {
        return std::nullopt;
    }
    fringe::epoch t;
    if (read(given, t.seconds) && t.seconds < std::uint64_t(1) << 40) {
        return t;
    }
    try {
        return fringe::epoch::from_iso(given);
    } catch (const std::invalid_argument&) {
        fail(name, "must be UTC, as in 2026-06-12T11:20:40, seconds since 1970, or now");
    }
}

std::optional<std::int64_t> packet_settings::wraps()
{
    if (text("wraps", "clock") == "clock") {
        return std::nullopt;
    }
    const std::uint64_t n = whole("wraps", 0);
    if (n > std::uint64_t(1) << 31) {
        fail("wraps", "must be a whole number up to 2^31, or clock");
    }
    return static_cast<std::int64_t>(n);
}

void packet_settings::refuse_others() const
{
    for (const auto& setting : d_values) {
        if (d_known.count(setting.first) == 0) {
            std::string names;
            for (const std::string& known : d_known) {
                names += (names.empty() ? "" : ", ") + known;
            }
            fail(setting.first, "these packets have no such setting; they have " + names);
        }
    }
}

} // namespace gr::fringe::io
