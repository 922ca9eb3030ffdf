/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvh5_columns.h"
#include "io/visibilities/writers/field_text.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace gr::fringe::io {

namespace {

using element = hdf5_output::element;

// A chunk has at most this many bytes of visibilities.
constexpr std::size_t chunk_bytes = 1u << 20;

// Small dumps share a chunk, but not so many that a short file is mostly chunk.
constexpr std::size_t chunk_dumps = 16;

// Of what moves, dump by dump. A satellite's distance is not called cat_dist: that is the distance of
// a direction as the sun has it, from which a reader would work out the parallax.
const std::array<std::string, 4> places{"Header/phase_center_catalog/0/cat_times",
                                        "Header/phase_center_catalog/0/cat_lon",
                                        "Header/phase_center_catalog/0/cat_lat",
                                        "gr-fringe/satellite_distance"};

// A body of the solar system has no column for its distance.
std::size_t places_of(const visibility_file_params& params)
{
    return params.satellite ? places.size() : moving(params.observation) ? 3 : 0;
}

double julian_date(const epoch& t)
{
    const auto day = static_cast<double>(t.seconds / 86400);
    const auto second = static_cast<double>(t.seconds % 86400) + t.fraction();
    return 2440587.5 + day + second / 86400;
}

double positive_angle(double a) { return a - 2 * M_PI * std::floor(a / (2 * M_PI)); }

} // namespace

std::size_t uvh5_chunk_rows(const visibility_file_params& params,
                            const baseline_layout& layout)
{
    const std::size_t row_bytes = params.channels * layout.correlations.size() * 8;
    return std::clamp<std::size_t>(
        chunk_bytes / row_bytes, 1, chunk_dumps * layout.rows.size());
}

std::vector<uvh5_column> uvh5_columns(const visibility_file_params& params,
                                      const baseline_layout& layout)
{
    const std::size_t rows = layout.rows.size();
    const std::size_t chunk = std::min<std::size_t>(chunk_dumps * rows, 4096);
    std::vector<uvh5_column> all;
    for (const char* name : {"Header/time_array",
                             "Header/integration_time",
                             "Header/lst_array",
                             "Header/phase_center_app_ra",
                             "Header/phase_center_app_dec",
                             "Header/phase_center_frame_pa"})
        all.push_back({name, element::float64, {}, 8, chunk, rows});
    for (const char* name :
         {"Header/ant_1_array", "Header/ant_2_array", "Header/phase_center_id_array"})
        all.push_back({name, element::int64, {}, 8, chunk, rows});
    for (const char* name : {"gr-fringe/start_seconds", "gr-fringe/start_attoseconds"})
        all.push_back({name, element::int64, {}, 8, 1024, 1});
    all.push_back({"gr-fringe/exposure", element::float64, {}, 8, 1024, 1});
    for (std::size_t k = 0; k < places_of(params); k++)
        all.push_back({places[k].c_str(), element::float64, {}, 8, 1024, 1});
    all.push_back({"Header/uvw_array", element::float64, {3}, 24, chunk, rows});

    const std::vector<hsize_t> row{params.channels, layout.correlations.size()};
    const std::size_t cells = row[0] * row[1], tile = uvh5_chunk_rows(params, layout);
    all.push_back({"Data/visdata", element::complex64, row, 8 * cells, tile, rows});
    all.push_back({"Data/flags", element::boolean, row, cells, tile, rows});
    all.push_back({"Data/nsamples", element::float32, row, 4 * cells, tile, rows});
    return all;
}

double uvh5_julian_date(const dump& d)
{
    return julian_date(d.start.plus_seconds(d.interval / 2));
}

std::uint64_t uvh5_time(const dump& d)
{
    const double time = uvh5_julian_date(d);
    std::uint64_t bits;
    std::memcpy(&bits, &time, sizeof bits);
    return bits;
}

void write_uvh5_times(hdf5_output& file,
                      const observation& obs,
                      const baseline_layout& layout,
                      const dump& d,
                      const array::uvw_axes& axes,
                      std::uint64_t index,
                      std::uint64_t first_row)
{
    const epoch center = d.start.plus_seconds(d.interval / 2);
    const double lst = array::local_sidereal_time(obs, center);
    const double greenwich = lst - obs.site_longitude * M_PI / 180;
    const std::pair<const char*, double> numbers[] = {
        {"Header/time_array", julian_date(center)},
        {"Header/integration_time", d.interval},
        {"Header/lst_array", lst},
        {"Header/phase_center_app_ra",
         positive_angle(std::atan2(axes.w[1], axes.w[0]) + greenwich)},
        {"Header/phase_center_app_dec", std::asin(std::clamp(axes.w[2], -1.0, 1.0))},
        // From the north of the earth to that of the catalogue.
        {"Header/phase_center_frame_pa", std::atan2(-axes.u[2], axes.v[2])}};
    const std::size_t count = layout.count(d.rows);
    for (const auto& [name, value] : numbers) {
        const std::vector<double> column(count, value);
        file.put_rows(name, element::float64, first_row, count, column.data());
    }

    std::vector<std::int64_t> antenna1, antenna2;
    for (std::size_t r = 0; r < count; r++) {
        const auto& row = layout.rows[layout.place(d.rows, r)];
        antenna1.push_back(row.antenna1);
        antenna2.push_back(row.antenna2);
    }
    const std::vector<std::int64_t> center_ids(count, 0);
    const std::pair<const char*, const std::vector<std::int64_t>&> integers[] = {
        {"Header/ant_1_array", antenna1},
        {"Header/ant_2_array", antenna2},
        {"Header/phase_center_id_array", center_ids}};
    for (const auto& [name, column] : integers)
        file.put_rows(name, element::int64, first_row, count, column.data());

    const auto seconds = static_cast<std::int64_t>(d.start.seconds);
    const auto attos = static_cast<std::int64_t>(d.start.attos);
    file.put_rows("gr-fringe/start_seconds", element::int64, index, 1, &seconds);
    file.put_rows("gr-fringe/start_attoseconds", element::int64, index, 1, &attos);
    file.put_rows("gr-fringe/exposure", element::float64, index, 1, &d.exposure);
}

void write_uvh5_place(hdf5_output& file,
                      const visibility_file_params& params,
                      const dump& d,
                      const std::array<double, 2>& radec,
                      double distance,
                      std::uint64_t index)
{
    // The same bits as in time_array: readers look them up.
    const double time = julian_date(d.start.plus_seconds(d.interval / 2));
    const double values[] = {time, radec[0], radec[1], distance};
    for (std::size_t k = 0; k < places_of(params); k++)
        file.put_rows(places[k], element::float64, index, 1, &values[k]);
}

} // namespace gr::fringe::io
