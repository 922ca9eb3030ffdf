/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvfits_certificate.h"
#include "io/certificates/crc32c.h"
#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/uvfits_tables.h"
#include <cstring>

namespace gr::fringe::io {

namespace {

constexpr std::size_t number = sizeof(float);
constexpr std::size_t card = 80;

// Of the cards of a header but for its history, which grows, and for the number of groups.
std::uint32_t sum_of_header(const std::string& header)
{
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at + card <= header.size(); at += card) {
        const std::string name = header.substr(at, 8);
        if (name != "HISTORY " && name != "COMMENT " && name != "GCOUNT  " &&
            name != "END     " && name != "        ")
            crc = crc32c(header.data() + at, card, crc);
    }
    return crc;
}

} // namespace

uvfits_certificate::uvfits_certificate(const visibility_file_params& params,
                                       const baseline_layout& layout)
    : d_cells(params.channels * layout.correlations.size()),
      d_channel_width(channel_width(params)),
      d_certificate(params, layout, false)
{
}

void uvfits_certificate::add(std::uint64_t row,
                             std::size_t count,
                             const std::string& groups)
{
    constexpr std::size_t uvw = 3 * number, all = uvfits_parameters * number;
    constexpr std::size_t rest = all - uvw;
    const std::size_t group = all + 3 * d_cells * number;
    std::string places(count * uvw, '\0'), others(count * rest, '\0');
    d_values.resize(count * d_cells * 2 * number);
    d_weights.resize(count * d_cells * number);
    char* value = d_values.data();
    char* weight = d_weights.data();
    for (std::size_t r = 0; r < count; r++) {
        const char* from = groups.data() + r * group;
        std::memcpy(places.data() + r * uvw, from, uvw);
        std::memcpy(others.data() + r * rest, from + uvw, rest);
        from += all;
        for (std::size_t k = 0; k < d_cells; k++, from += 3 * number) {
            std::memcpy(value, from, 2 * number);
            std::memcpy(weight, from + 2 * number, number);
            value += 2 * number;
            weight += number;
        }
    }
    auto& text = d_certificate.text;
    text.set_rows(row + count);
    text.add("DATE", row, count, rest, others.data());
    text.add("UVW", row, count, uvw, places.data());
    text.add("DATA", row, count, 2 * d_cells * number, d_values.data());
    text.add("WEIGHT", row, count, d_cells * number, d_weights.data());
}

void uvfits_certificate::count(const dump& d,
                               std::size_t first,
                               std::size_t count,
                               const std::complex<float>* data,
                               const float* weight,
                               const bool* flag)
{
    d_certificate.count(
        d, first, count, data, weight, flag, d.interval * d_channel_width);
}

std::string uvfits_certificate::line(const std::string& header, const std::string& tables)
{
    d_certificate.text.set_table("header", sum_of_header(header));
    d_certificate.text.set_table("tables", crc32c(tables.data(), tables.size()));
    return d_certificate.text.line();
}

} // namespace gr::fringe::io
