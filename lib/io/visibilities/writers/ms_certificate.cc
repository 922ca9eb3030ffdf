/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/ms_certificate.h"
#include "io/certificates/crc32c.h"
#include "io/visibilities/writers/phased_rows.h"
#include <casacore/tables/Tables/ArrayColumn.h>
#include <casacore/tables/Tables/ScalarColumn.h>

namespace gr::fringe::io {

namespace {

using casacore::Table;

// What a row belongs to, as it stands in its columns.
struct row_key {
    double time, interval, exposure;
    std::int32_t antenna1, antenna2, data_description, field;
};
static_assert(sizeof(row_key) == 40, "a key has no gaps");

std::uint32_t sum_of_text(const Table& table, const char* name)
{
    std::uint32_t crc = 0;
    const casacore::ScalarColumn<casacore::String> column(table, name);
    for (casacore::rownr_t row = 0; row < table.nrow(); row++) {
        const std::string text = column(row) + "\n";
        crc = crc32c(text.data(), text.size(), crc);
    }
    return crc;
}

template <class T>
std::uint32_t sum_of_arrays(const Table& table, const char* name)
{
    std::uint32_t crc = 0;
    const casacore::ArrayColumn<T> column(table, name);
    for (casacore::rownr_t row = 0; row < table.nrow(); row++) {
        const casacore::Array<T> values = column(row);
        crc = crc32c(values.data(), values.size() * sizeof(T), crc);
    }
    return crc;
}

} // namespace

ms_certificate::ms_certificate(const visibility_file_params& params,
                               const baseline_layout& layout)
    : d_layout(layout),
      d_cells(params.channels * layout.correlations.size()),
      d_channel_width(channel_width(params)),
      d_certificate(params, layout, false)
{
}

void ms_certificate::add(const dump& d,
                         const epoch& center,
                         std::uint64_t row,
                         std::size_t first,
                         std::size_t count,
                         const ms_rows& rows)
{
    std::vector<row_key> keys(count);
    for (std::size_t r = 0; r < count; r++) {
        const auto& pair = d_layout.rows[d_layout.place(d.rows, first + r)];
        keys[r] = {center.mjd_seconds(),
                   d.interval,
                   d.exposure,
                   pair.antenna1,
                   pair.antenna2,
                   0,
                   0};
    }
    auto& text = d_certificate.text;
    text.set_rows(row + count);
    text.add("TIME", row, count, sizeof(row_key), keys.data());
    text.add("UVW", row, count, 3 * sizeof(double), rows.uvw.data());
    text.add("DATA", row, count, d_cells * 8, rows.data.data());
    text.add("FLAG", row, count, d_cells, rows.flag.data());
    text.add("WEIGHT_SPECTRUM",
             row,
             count,
             d_cells * sizeof(float),
             rows.weight_spectrum.data());
    text.add("WEIGHT",
             row,
             count,
             d_layout.correlations.size() * sizeof(float),
             rows.weight.data());
    d_certificate.count(d,
                        first,
                        count,
                        rows.data.data(),
                        rows.weight_spectrum.data(),
                        rows.flag.data(),
                        d.interval * d_channel_width);
}

std::string ms_certificate::line(casacore::MeasurementSet& ms)
{
    auto& text = d_certificate.text;
    text.set_table("ANTENNA.NAME", sum_of_text(ms.antenna(), "NAME"));
    text.set_table("ANTENNA.POSITION", sum_of_arrays<double>(ms.antenna(), "POSITION"));
    text.set_table("FEED.RECEPTOR_ANGLE",
                   sum_of_arrays<double>(ms.feed(), "RECEPTOR_ANGLE"));
    text.set_table("FIELD.NAME", sum_of_text(ms.field(), "NAME"));
    text.set_table("FIELD.PHASE_DIR", sum_of_arrays<double>(ms.field(), "PHASE_DIR"));
    text.set_table("POLARIZATION.CORR_TYPE",
                   sum_of_arrays<int>(ms.polarization(), "CORR_TYPE"));
    text.set_table("SPECTRAL_WINDOW.CHAN_FREQ",
                   sum_of_arrays<double>(ms.spectralWindow(), "CHAN_FREQ"));
    text.set_table("SPECTRAL_WINDOW.CHAN_WIDTH",
                   sum_of_arrays<double>(ms.spectralWindow(), "CHAN_WIDTH"));
    return text.line();
}

} // namespace gr::fringe::io
