/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/dada_header.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cmath>
#include <sstream>

namespace gr::fringe::io {

namespace {

constexpr std::size_t max_header_bytes = 1u << 24;

} // namespace

dada_header::dada_header(const input_file& file, std::uint64_t at)
    : d_where(file.path() + (at > 0 ? ": header at byte " + std::to_string(at) : ""))
{
    read(file, at, default_bytes);
    if (!has("HDR_SIZE"))
        throw std::invalid_argument(d_where +
                                    ": is not a PSRDADA file: no HDR_SIZE in its first " +
                                    std::to_string(default_bytes) + " bytes");
    d_bytes = whole("HDR_SIZE", 0, 1, max_header_bytes);
    if (d_bytes > default_bytes)
        read(file, at, d_bytes);
}

bool dada_header::begins_with(const std::string& start)
{
    const std::string lines = "\n" + start.substr(0, start.find('\0'));
    return lines.find("\nHDR_SIZE ") != std::string::npos ||
           lines.find("\nHDR_SIZE\t") != std::string::npos;
}

std::string dada_header::text(const std::string& key) const
{
    const auto field = d_fields.find(key);
    return field == d_fields.end() ? "" : field->second;
}

double dada_header::number(const std::string& key) const
{
    const std::string value = text(key);
    if (value.empty())
        return 0;
    std::size_t used = 0;
    double number = 0;
    try {
        number = std::stod(value, &used);
    } catch (const std::logic_error&) {
        used = 0;
    }
    if (used != value.size() || !std::isfinite(number))
        throw damaged_recording(d_where + ": " + key + " '" + value +
                                "' in its header is not a number");
    return number;
}

std::uint64_t dada_header::whole(const std::string& key,
                                 std::uint64_t missing,
                                 std::uint64_t least,
                                 std::uint64_t maximum) const
{
    if (!has(key))
        return missing;
    const double value = number(key);
    if (value != std::floor(value) || value < static_cast<double>(least) ||
        value > static_cast<double>(maximum))
        throw damaged_recording(d_where + ": " + key + " '" + text(key) +
                                "' in its header; it must be a whole number from " +
                                std::to_string(least) + " to " + std::to_string(maximum));
    return static_cast<std::uint64_t>(value);
}

void dada_header::read(const input_file& file, std::uint64_t at, std::size_t bytes)
{
    const std::uint64_t left = file.size() > at ? file.size() - at : 0;
    std::string raw(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left)), '\0');
    file.read(at, reinterpret_cast<std::uint8_t*>(&raw[0]), raw.size());
    std::istringstream lines(raw.substr(0, raw.find('\0')));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string key, value;
        if (words >> key >> value)
            d_fields[key] = value;
    }
}

} // namespace gr::fringe::io
