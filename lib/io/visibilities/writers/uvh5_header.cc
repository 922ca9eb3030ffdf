/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvh5_header.h"
#include "array/earth_orientation.h"
#include "array/geometry.h"
#include "io/visibilities/selecting_writer.h"
#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/uvh5_columns.h"
#include "io/visibilities/writers/written_feed.h"
#include <algorithm>
#include <cctype>
#include <cmath>

namespace gr::fringe::io {

namespace {

using element = hdf5_output::element;

// AIPS's numbers for correlations.
std::vector<std::int64_t> polarization_codes(const std::string& polarizations)
{
    std::vector<std::int64_t> codes;
    for (const char p : polarizations)
        for (const char q : polarizations) {
            const bool linear = p == 'X' || p == 'Y';
            const bool second = p == 'Y' || p == 'L'; // of its two
            codes.push_back((linear ? -5 : -1) - (p == q ? second : second ? 3 : 2));
        }
    return codes;
}

void write_telescope(hdf5_output& file, const observation& obs)
{
    file.text("Header/telescope_name", obs.telescope);
    file.text("Header/instrument", obs.telescope);
    file.text("Header/telescope_frame", "itrs");
    file.number("Header/latitude", obs.site_latitude);
    file.number("Header/longitude", obs.site_longitude);
    file.number("Header/altitude", obs.site_height);
    const auto site =
        array::itrf_from_wgs84(obs.site_latitude, obs.site_longitude, obs.site_height);
    const hsize_t antennas = obs.antennas.size();
    std::vector<std::string> names;
    std::vector<std::int64_t> numbers;
    std::vector<double> positions;
    for (const auto& a : obs.antennas) {
        names.push_back(a.name);
        numbers.push_back(static_cast<std::int64_t>(numbers.size()));
        for (std::size_t k = 0; k < 3; k++)
            positions.push_back(a.itrf[k] - site[k]);
    }
    file.integer("Header/Nants_telescope", static_cast<std::int64_t>(antennas));
    file.texts("Header/antenna_names", names, {antennas});
    file.array("Header/antenna_numbers", element::int64, numbers.data(), {antennas});
    file.array(
        "Header/antenna_positions", element::float64, positions.data(), {antennas, 3});
}

// One word for the whole array, which older readers take instead of the angles: there is none
// where X looks elsewhere than to the north or the east.
void write_orientation(hdf5_output& file, const observation& obs)
{
    const auto all_have = [&](const std::array<double, 2>& angles) {
        return std::all_of(obs.antennas.begin(),
                           obs.antennas.end(),
                           [&](const antenna& a) { return a.feed_angle == angles; });
    };
    if (all_have({0, 90}))
        file.text("Header/x_orientation", "north");
    else if (all_have({90, 0}))
        file.text("Header/x_orientation", "east");
}

// The same feeds as in a MeasurementSet's FEED table.
void write_feeds(hdf5_output& file, const observation& obs, const std::string& hands)
{
    const hsize_t antennas = obs.antennas.size(), feeds = hands.size();
    std::vector<std::string> types, mounts;
    std::vector<double> angles;
    for (hsize_t a = 0; a < antennas; a++) {
        const auto feed = feed_of(obs, a, hands);
        mounts.push_back(feed.mount);
        for (const char hand : feed.hands)
            types.emplace_back(1, static_cast<char>(std::tolower(hand)));
        angles.insert(angles.end(), feed.angles.begin(), feed.angles.end());
    }
    file.integer("Header/Nfeeds", static_cast<std::int64_t>(feeds));
    file.texts("Header/feed_array", types, {antennas, feeds});
    file.array("Header/feed_angle", element::float64, angles.data(), {antennas, feeds});
    file.texts("Header/mount_type", mounts, {antennas});
    if (hands.find_first_of("XY") != std::string::npos)
        write_orientation(file, obs);
}

void write_axes(hdf5_output& file,
                const visibility_file_params& params,
                const baseline_layout& layout)
{
    const hsize_t channels = params.channels;
    const auto frequencies =
        params.observation.channel_frequencies(channels, params.complex_samples);
    const std::vector<double> widths(channels, channel_width(params));
    const std::vector<std::int64_t> windows(channels, 0);
    const auto codes = polarization_codes(layout.polarizations);
    file.integer("Header/Nfreqs", static_cast<std::int64_t>(channels));
    file.array("Header/freq_array", element::float64, frequencies.data(), {channels});
    file.array("Header/channel_width", element::float64, widths.data(), {channels});
    file.integer("Header/Nspws", 1);
    file.array("Header/spw_array", element::int64, windows.data(), {1});
    file.boolean("Header/flex_spw", false);
    file.array("Header/flex_spw_id_array", element::int64, windows.data(), {channels});
    file.integer("Header/Npols", static_cast<std::int64_t>(codes.size()));
    file.array("Header/polarization_array", element::int64, codes.data(), {codes.size()});

    std::vector<int> antennas;
    for (const auto& row : layout.rows)
        if (row.antenna1 == row.antenna2)
            antennas.push_back(row.antenna1);
    file.integer("Header/Nants_data", static_cast<std::int64_t>(antennas.size()));
    const auto baselines =
        std::count_if(layout.rows.begin(), layout.rows.end(), [&](const auto& row) {
            return holds(params.products, row);
        });
    file.integer("Header/Nbls", static_cast<std::int64_t>(baselines));
    file.integer("Header/Nblts", 0);
    file.integer("Header/Ntimes", 0);
    // Averages of different length are written as they end.
    const bool each_time_has_all = params.averaging.loss == 0;
    if (each_time_has_all) {
        file.text("Header/blt_order", "time, baseline");
        file.boolean("Header/time_axis_faster_than_bls", false);
    }
    file.boolean("Header/blts_are_rectangular", each_time_has_all);
}

} // namespace

void write_uvh5_header(hdf5_output& file,
                       const visibility_file_params& params,
                       const baseline_layout& layout)
{
    const auto& obs = params.observation;
    for (const char* name : {"Header",
                             "Header/phase_center_catalog",
                             "Header/phase_center_catalog/0",
                             "Data",
                             "gr-fringe"})
        file.group(name);
    file.text("Header/version", "1.1");
    file.text("Header/vis_units", "uncalib");
    file.text("Header/timesys", "UTC");
    // One number for the file, which may be left out; the rows have that of their time.
    if (!obs.earth_orientation || obs.has_start_time)
        file.number("Header/dut1", array::orientation_of(obs, obs.start_time).dut1);
    write_telescope(file, obs);
    write_feeds(file, obs, layout.polarizations);
    write_axes(file, params, layout);
    file.text("gr-fringe/observation", obs.to_text());
    for (const auto& c : uvh5_columns(params, layout))
        file.growing(c.name, c.type, c.row, c.chunk_rows);
}

std::string uvh5_history(const visibility_file_params& params,
                         const std::array<double, 2>& radec,
                         const epoch& when)
{
    const std::string field =
        params.satellite
            ? "Phase center: the satellite of " + params.satellite->name() +
                  ", tracked; its ICRS direction at each dump is in phase_center_catalog"
        : moving(params.observation)
            ? "Phase center: the moving " + params.observation.phase_center.name +
                  ", seen from the site; its ICRS direction at each dump is in "
                  "phase_center_catalog"
            : field_history(params.observation, radec, when);
    return params.history + "\n" + field + "\nWritten by gr-fringe " FRINGE_VERSION "\n";
}

void write_uvh5_phase_center(hdf5_output& file,
                             const visibility_file_params& params,
                             const std::array<double, 2>& radec,
                             const epoch& when)
{
    const auto& obs = params.observation;
    const std::string center = "Header/phase_center_catalog/0";
    file.integer("Header/Nphase", 1);
    file.text(center + "/cat_name", field_name(obs, radec, when));
    const bool moves = params.satellite || moving(obs);
    file.text(center + "/cat_type", moves ? "ephem" : "sidereal");
    if (!moves) {
        file.number(center + "/cat_lon", radec[0]);
        file.number(center + "/cat_lat", radec[1]);
    }
    file.text(center + "/cat_frame", "icrs");
    file.number(center + "/cat_epoch", 2000);
    file.text(center + "/info_source", "file");
}

} // namespace gr::fringe::io
