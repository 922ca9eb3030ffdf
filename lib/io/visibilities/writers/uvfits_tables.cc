/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/uvfits_tables.h"
#include "array/earth_orientation.h"
#include "array/geometry.h"
#include "io/visibilities/writers/field_text.h"
#include "io/visibilities/writers/fits_memory.h"
#include "io/visibilities/writers/phased_rows.h"
#include "io/visibilities/writers/written_feed.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <erfa.h>
#include <sstream>

namespace gr::fringe::io {

namespace {

constexpr std::size_t card = 80;
// Room for notes at the end of the run.
constexpr std::size_t cards_for_notes = 90;

const char* const parameter_names[uvfits_parameters] = {
    "UU---SIN", "VV---SIN", "WW---SIN", "DATE", "DATE", "BASELINE", "FREQSEL", "INTTIM"};

// What a card can hold: ASCII without control characters.
std::string printable(std::string line)
{
    for (char& c : line)
        if (c < ' ' || c > '~')
            c = '?';
    return line;
}

// The lines of a text as they go on HISTORY cards.
std::vector<std::string> history_lines(const std::string& text)
{
    constexpr std::size_t width = 72;
    std::vector<std::string> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        for (std::size_t at = 0, next; at == 0 || at < line.size(); at = next) {
            // Readers take blanks at the end of a card for no part of it.
            for (next = at + width; next < line.size() && next > at + 1; next--)
                if (line[next - 1] != ' ')
                    break;
            all.push_back(printable(line.substr(at, next - at)));
        }
    return all;
}

epoch midnight(const uvfits_field& field)
{
    return {field.first.seconds / 86400 * 86400, 0};
}

// AIPS's number of the first correlation; the others follow downwards.
int first_stokes(const std::string& polarizations)
{
    const bool linear = polarizations.find_first_of("XY") != std::string::npos;
    const bool second = polarizations == "Y" || polarizations == "L";
    return (linear ? -5 : -1) - (second ? 1 : 0);
}

void write_axes(fits_memory& fits,
                const visibility_file_params& params,
                const baseline_layout& layout,
                const uvfits_field& field)
{
    struct axis {
        const char* name;
        double value;
        double step;
    };
    constexpr double degree = 180 / M_PI;
    const double first = params.observation.channel_frequencies(
        params.channels, params.complex_samples)[0];
    const axis axes[] = {
        {"COMPLEX", 1, 1},
        {"STOKES", static_cast<double>(first_stokes(layout.polarizations)), -1},
        {"FREQ", first, channel_width(params)},
        {"IF", 1, 1},
        {"RA", field.radec[0] * degree, 1},
        {"DEC", field.radec[1] * degree, 1}};
    int k = 2;
    for (const auto& a : axes) {
        const std::string number = std::to_string(k++);
        fits.key("CTYPE" + number, a.name);
        fits.key("CRVAL" + number, a.value);
        fits.key("CDELT" + number, a.step);
        fits.key("CRPIX" + number, 1.0);
        fits.key("CROTA" + number, 0.0);
    }
    for (std::size_t p = 0; p < uvfits_parameters; p++) {
        const std::string number = std::to_string(p + 1);
        fits.key("PTYPE" + number, parameter_names[p]);
        fits.key("PSCAL" + number, 1.0);
        fits.key("PZERO" + number, p == DATE ? uvfits_midnight(field) : 0.0);
    }
}

// The lines that every file has.
std::string fixed_history(const visibility_file_params& params, const uvfits_field& field)
{
    return params.history + "\n" +
           field_history(params.observation, field.radec, field.when) +
           "\nWritten by gr-fringe " FRINGE_VERSION;
}

// Of MNTSTA: AIPS Memo 117, and 7 for fixed, which is pyuvdata's.
double mount_number(const std::string& mount)
{
    return mount == "alt-az" ? 0 : mount == "equatorial" ? 1 : mount == "x-y" ? 3 : 7;
}

// Columns 5, and 7, 8, 10 and 11, of the receptors A and B.
void write_feeds(fits_memory& fits, const observation& obs, const std::string& hands)
{
    std::vector<double> mounts, angles[2];
    std::vector<std::string> types[2];
    const bool linear = hands.find_first_of("XY") != std::string::npos;
    for (std::size_t a = 0; a < obs.antennas.size(); a++) {
        const auto feed = feed_of(obs, a, linear ? "XY" : "RL");
        mounts.push_back(mount_number(feed.mount));
        for (std::size_t k = 0; k < 2; k++) {
            types[k].emplace_back(1, feed.hands[k]);
            angles[k].push_back(feed.angles[k] * 180 / M_PI);
        }
    }
    fits.column(5, mounts);
    fits.column(7, types[0]);
    fits.column(8, angles[0]);
    fits.column(10, types[1]);
    fits.column(11, angles[1]);
}

void write_antennas(fits_memory& fits, const observation& obs, const std::string& hands)
{
    const std::size_t count = obs.antennas.size();
    std::vector<std::string> names;
    std::size_t longest = 8;
    std::vector<double> positions, numbers;
    for (const auto& a : obs.antennas) {
        names.push_back(printable(a.name));
        longest = std::max(longest, a.name.size());
        positions.insert(positions.end(), a.itrf.begin(), a.itrf.end());
        numbers.push_back(static_cast<double>(numbers.size() + 1));
    }
    fits.table(
        "AIPS AN",
        count,
        {"ANNAME",
         "STABXYZ",
         "ORBPARM",
         "NOSTA",
         "MNTSTA",
         "STAXOF",
         "POLTYA",
         "POLAA",
         "POLCALA",
         "POLTYB",
         "POLAB",
         "POLCALB"},
        {std::to_string(longest) + "A",
         "3D",
         "0D",
         "1J",
         "1J",
         "1E",
         "1A",
         "1E",
         "0E",
         "1A",
         "1E",
         "0E"},
        {"", "METERS", "", "", "", "METERS", "", "DEGREES", "", "", "DEGREES", ""});
    fits.column(1, names);
    fits.column(2, positions);
    fits.column(4, numbers);
    fits.column(6, std::vector<double>(count, 0.0)); // STAXOF
    write_feeds(fits, obs, hands);
}

void write_antenna_keys(fits_memory& fits,
                        const visibility_file_params& params,
                        const uvfits_field& field)
{
    const auto& obs = params.observation;
    const epoch day = midnight(field);
    const std::string date = day.iso(0).substr(0, 10);
    const auto earth = array::orientation_of(obs, field.first);
    double tai_utc = 0;
    eraDat(std::stoi(date.substr(0, 4)),
           std::stoi(date.substr(5, 2)),
           std::stoi(date.substr(8, 2)),
           0,
           &tai_utc);
    const double sidereal =
        array::local_sidereal_time(obs, day) * 180 / M_PI - obs.site_longitude;
    constexpr double arcseconds = 180 * 3600 / M_PI;
    fits.key("EXTVER", 1);
    // STABXYZ are geocentric; with another center AIPS would have them turned.
    for (const char* name : {"ARRAYX", "ARRAYY", "ARRAYZ"})
        fits.key(name, 0.0);
    fits.key("FRAME", "ITRF");
    fits.key("XYZHAND", "RIGHT");
    fits.key("GSTIA0", sidereal - 360 * std::floor(sidereal / 360));
    fits.key("DEGPDY", 360.98564497329997); // at 2000, AIPS Memo 117
    fits.key("FREQ", obs.center_frequency);
    fits.key("RDATE", date);
    fits.key("POLARX", earth.xp * arcseconds);
    fits.key("POLARY", earth.yp * arcseconds);
    fits.key("UT1UTC", earth.dut1);
    fits.key("DATUTC", 0.0);
    fits.key("IATUTC", tai_utc);
    fits.key("TIMSYS", "UTC");
    fits.key("ARRNAM", printable(obs.telescope));
    fits.key("NUMORB", 0);
    fits.key("NO_IF", 1);
    fits.key("NOPCAL", 0);
    fits.key("FREQID", -1);
    fits.key("POLTYPE", "");
}

void write_frequencies(fits_memory& fits, const visibility_file_params& params)
{
    fits.table("AIPS FQ",
               1,
               {"FRQSEL", "IF FREQ", "CH WIDTH", "TOTAL BANDWIDTH", "SIDEBAND"},
               {"1J", "1D", "1E", "1E", "1J"},
               {"", "HZ", "HZ", "HZ", ""});
    fits.key("EXTVER", 1);
    fits.key("NO_IF", 1);
    const double width = channel_width(params);
    fits.column(1, std::vector<double>{1});
    fits.column(2, std::vector<double>{0});
    fits.column(3, std::vector<double>{width});
    fits.column(4, std::vector<double>{width * static_cast<double>(params.channels)});
    fits.column(5, std::vector<double>{1});
}

} // namespace

double uvfits_midnight(const uvfits_field& field)
{
    return 2440587.5 + static_cast<double>(field.first.seconds / 86400);
}

std::vector<std::size_t> uvfits_correlation_order(const baseline_layout& layout)
{
    if (layout.correlations.size() == 1)
        return {0};
    return {0, 3, 1, 2};
}

float uvfits_baseline(std::size_t antenna1, std::size_t antenna2, std::size_t antennas)
{
    const std::size_t a = antenna1 + 1, b = antenna2 + 1;
    return static_cast<float>(antennas > 255 ? 65536 + 2048 * a + b : 256 * a + b);
}

std::string uvfits_header(const visibility_file_params& params,
                          const baseline_layout& layout,
                          const uvfits_field& field,
                          const std::string& notes,
                          std::size_t bytes)
{
    const auto& obs = params.observation;
    const auto history = history_lines(fixed_history(params, field));
    fits_memory fits((history.size() + 500) * card);
    fits.groups({0,
                 3,
                 static_cast<long>(layout.correlations.size()),
                 static_cast<long>(params.channels),
                 1,
                 1,
                 1},
                uvfits_parameters);
    fits.key("OBJECT", printable(field_name(obs, field.radec, field.first)));
    fits.key("TELESCOP", printable(obs.telescope));
    fits.key("INSTRUME", printable(obs.telescope));
    fits.key("OBSERVER", printable(obs.observer));
    fits.key("DATE-OBS", midnight(field).iso(0).substr(0, 10));
    fits.key("BUNIT", "UNCALIB");
    fits.key("BSCALE", 1.0);
    fits.key("BZERO", 0.0);
    fits.key("EPOCH", 2000.0);
    fits.key("RADESYS", "icrs"); // in small letters, by which pyuvdata knows it
    write_axes(fits, params, layout, field);
    for (const auto& line : history)
        fits.history(line);
    std::string header = fits.cards();
    const std::string none = uvfits_gcount_card(0);
    header.replace(header.find(none.substr(0, 9)), none.size(), none);
    if (bytes == 0)
        bytes = fits_blocks(header.size() + (cards_for_notes + 1) * card);
    for (const auto& line : history_lines(notes))
        if (header.size() + 2 * card <= bytes) {
            header += "HISTORY " + line;
            header.resize((header.size() + card - 1) / card * card, ' ');
        }
    header.resize(bytes - card, ' ');
    header += "END";
    header.resize(bytes, ' ');
    return header;
}

std::string uvfits_gcount_card(std::uint64_t groups)
{
    char text[card + 1];
    std::snprintf(text,
                  sizeof text,
                  "%-8s= %20llu%50s",
                  "GCOUNT",
                  static_cast<unsigned long long>(groups),
                  "");
    return text;
}

std::string uvfits_filler(std::size_t bytes)
{
    std::ostringstream cards;
    const auto add = [&](const char* name, const std::string& value) {
        char text[card + 1];
        std::snprintf(text, sizeof text, "%-8s= %20s%50s", name, value.c_str(), "");
        cards << text;
    };
    char extension[card + 1];
    std::snprintf(extension, sizeof extension, "%-80s", "XTENSION= 'IMAGE   '");
    cards << extension;
    add("BITPIX", "8");
    add("NAXIS", "1");
    add("NAXIS1", std::to_string(bytes));
    add("PCOUNT", "0");
    add("GCOUNT", "1");
    std::snprintf(extension, sizeof extension, "%-80s", "EXTNAME = 'FILLER  '");
    cards << extension << "END";
    std::string header = cards.str();
    header.resize(fits_block, ' ');
    return header;
}

std::string uvfits_tables(const visibility_file_params& params,
                          const baseline_layout& layout,
                          const uvfits_field& field)
{
    std::size_t names = 0;
    for (const auto& a : params.observation.antennas)
        names = std::max(names, a.name.size());
    fits_memory fits(20 * fits_block +
                     params.observation.antennas.size() * (names + 100));
    write_antennas(fits, params.observation, layout.polarizations);
    write_antenna_keys(fits, params, field);
    write_frequencies(fits, params);
    // In front of the tables stands a primary header without data.
    return fits.bytes().substr(fits_block);
}

} // namespace gr::fringe::io
