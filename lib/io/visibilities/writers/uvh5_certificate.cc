/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvh5_certificate.h"
#include "io/visibilities/writers/uvh5_columns.h"

namespace gr::fringe::io {

namespace {

// What a row belongs to, as it stands in its columns.
struct row_key {
    double time, interval;
    std::int64_t antenna1, antenna2, center;
};
static_assert(sizeof(row_key) == 40, "a key has no gaps");

// Of the header, where they are there: a direction that moves has no cat_lon.
constexpr const char* tables[] = {"antenna_names",
                                  "antenna_numbers",
                                  "antenna_positions",
                                  "channel_width",
                                  "feed_angle",
                                  "freq_array",
                                  "phase_center_catalog/0/cat_lat",
                                  "phase_center_catalog/0/cat_lon",
                                  "polarization_array"};

} // namespace

uvh5_certificate::uvh5_certificate(const visibility_file_params& params,
                                   const baseline_layout& layout)
    : d_layout(layout),
      d_cells(params.channels * layout.correlations.size()),
      d_certificate(params, layout, true)
{
}

void uvh5_certificate::add(const dump& d,
                           std::uint64_t row,
                           std::size_t first,
                           std::size_t count,
                           const values& v)
{
    std::vector<row_key> keys(count);
    for (std::size_t r = 0; r < count; r++) {
        const auto& pair = d_layout.rows[d_layout.place(d.rows, first + r)];
        keys[r] = {uvh5_julian_date(d), d.interval, pair.antenna1, pair.antenna2, 0};
    }
    auto& text = d_certificate.text;
    text.set_rows(row + count);
    text.add("time_array", row, count, sizeof(row_key), keys.data());
    text.add("uvw_array", row, count, 3 * sizeof(double), v.uvw);
    text.add("visdata", row, count, d_cells * 8, v.data);
    text.add("nsamples", row, count, d_cells * sizeof(float), v.weight);
    text.add("flags", row, count, d_cells, v.flag);
    d_certificate.count(d, first, count, v.data, v.weight, v.flag, 1);
}

std::string uvh5_certificate::line(const hdf5_output& file)
{
    const std::string header = "Header/";
    for (const char* name : tables) {
        const auto found = file.checksums().find(header + name);
        if (found != file.checksums().end())
            d_certificate.text.set_table(name, found->second);
    }
    return d_certificate.text.line();
}

} // namespace gr::fringe::io
