/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/certificates/certificate.h"
#include "io/certificates/crc32c.h"
#include "kernels/base/workers.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fringe_commit.h>
#include <numeric>
#include <sstream>

namespace gr::fringe::io {

namespace {

// Bytes that are worth a task.
constexpr std::size_t task_bytes = 1u << 17;
// Sums that are made side by side, so that vector instructions can be used.
constexpr std::size_t lanes = 16;
constexpr std::size_t max_command = 500;

std::string quoted(const std::string& text)
{
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            all += '\\';
        const auto code = static_cast<unsigned char>(c);
        if (code >= ' ' && code != 127) {
            all += c;
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
        all += escaped;
    }
    return all + '"';
}

// A first line, without half a character at its end.
std::string command_of(const std::string& history)
{
    std::string line = history.substr(0, history.find('\n'));
    if (line.size() > max_command) {
        std::size_t end = max_command;
        while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80)
            end--;
        line = line.substr(0, end) + " ...";
    }
    return line;
}

std::string number(const char* format, double value)
{
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

template <class Sums>
std::string hex_of(const Sums& sums, int digits)
{
    std::string all;
    for (const auto& [name, sum] : sums) {
        char text[20];
        std::snprintf(
            text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(sum));
        all += (all.empty() ? "" : ", ") + quoted(name) + ": \"" + text + "\"";
    }
    return "{" + all + "}";
}

template <class Factor>
std::uint64_t
summed(std::size_t rows, std::size_t row_bytes, const void* values, Factor factor)
{
    const std::size_t step =
        std::max<std::size_t>(1, task_bytes / std::max<std::size_t>(row_bytes, 1));
    const std::size_t tasks = (rows + step - 1) / step;
    std::vector<std::uint64_t> parts(tasks, 0);
    const auto part = [&](std::size_t k, unsigned) {
        const std::size_t from = k * step, count = std::min(step, rows - from);
        std::vector<std::uint32_t> crcs(count);
        crc32c_of_rows(static_cast<const char*>(values) + from * row_bytes,
                       count,
                       row_bytes,
                       crcs.data());
        for (std::size_t r = 0; r < count; r++)
            parts[k] += factor(from + r) * crcs[r];
    };
    if (tasks == 1)
        part(0, 0);
    else
        kernels::workers::shared()->run(tasks, part);
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
}

} // namespace

std::string software()
{
    const std::string commit = FRINGE_COMMIT;
    return "gr-fringe " FRINGE_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

std::uint64_t sum_of_rows(std::uint64_t first,
                          std::size_t rows,
                          std::size_t row_bytes,
                          const void* values)
{
    return summed(
        rows, row_bytes, values, [first](std::size_t r) { return first + r + 1; });
}

std::uint64_t sum_of_rows(const std::uint64_t* numbers,
                          std::size_t rows,
                          std::size_t row_bytes,
                          const void* values)
{
    return summed(
        rows, row_bytes, values, [numbers](std::size_t r) { return numbers[r] + 1; });
}

certificate::certificate(const std::string& history) : d_command(command_of(history)) {}

void certificate::add(const std::string& column,
                      std::uint64_t first,
                      std::size_t rows,
                      std::size_t row_bytes,
                      const void* values)
{
    d_sums[column] += sum_of_rows(first, rows, row_bytes, values);
}

void certificate::add_row(const std::string& column, std::uint64_t row, std::uint32_t crc)
{
    d_sums[column] += (row + 1) * crc;
}

void certificate::count(const bool* flags,
                        const float* weights,
                        std::size_t cells,
                        double full_weight)
{
    float valid[lanes] = {};
    std::uint32_t lost[lanes] = {}, flagged[lanes] = {};
    const std::size_t whole = cells / lanes * lanes;
    for (std::size_t at = 0; at < whole; at += lanes)
        for (std::size_t k = 0; k < lanes; k++) {
            valid[k] += weights[at + k];
            lost[k] += weights[at + k] > 0 ? 0 : 1;
            flagged[k] += flags[at + k] ? 1 : 0;
        }
    for (std::size_t at = whole; at < cells; at++) {
        valid[0] += weights[at];
        lost[0] += weights[at] > 0 ? 0 : 1;
        flagged[0] += flags[at] ? 1 : 0;
    }
    for (std::size_t k = 0; k < lanes; k++) {
        d_valid += static_cast<double>(valid[k]) / full_weight;
        d_lost += lost[k];
        d_flagged += flagged[k];
    }
    d_cells += cells;
}

void certificate::look(const std::complex<float>* data,
                       const bool* flags,
                       std::size_t cells,
                       std::size_t step)
{
    std::complex<float> total;
    float power = 0;
    for (std::size_t at = 0; at < cells; at += step) {
        const std::complex<float> value = flags[at] ? 0 : data[at];
        total += value;
        power += std::norm(value);
    }
    d_total += total;
    d_power += static_cast<double>(power);
}

std::string certificate::json() const
{
    std::ostringstream s;
    s << "{\"certificate\": 1, \"software\": " << quoted(software())
      << ", \"command\": " << quoted(d_command) << ", \"rows\": " << d_rows
      << ", \"sums\": " << hex_of(d_sums, 16) << ", \"tables\": " << hex_of(d_tables, 8);
    if (d_cells > 0)
        s << ", \"visibilities\": " << d_cells << ", \"flagged\": " << d_flagged
          << ", \"lost\": " << d_lost
          << ", \"valid\": " << number("%.6f", d_valid / static_cast<double>(d_cells));
    if (!d_source.empty() && d_power > 0)
        s << ", \"source\": " << quoted(d_source) << ", \"signal_to_noise\": "
          << number("%.2f", std::abs(d_total) / std::sqrt(d_power)) << ", \"degrees\": "
          << number("%.2f", (d_conjugated ? -1 : 1) * std::arg(d_total) * 180 / M_PI);
    s << "}";
    return s.str();
}

std::string certificate::line() const { return "gr-fringe certificate " + json(); }

} // namespace gr::fringe::io
