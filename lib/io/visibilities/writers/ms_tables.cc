/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/ms_tables.h"
#include <algorithm>
#include <casacore/casa/Logging/LogFilter.h>
#include <casacore/casa/Logging/LogSink.h>
#include <casacore/tables/DataMan/IncrementalStMan.h>
#include <casacore/tables/DataMan/StandardStMan.h>
#include <casacore/tables/DataMan/TiledColumnStMan.h>
#include <casacore/tables/DataMan/TiledShapeStMan.h>
#include <casacore/tables/Tables/SetupNewTab.h>

namespace gr::fringe::io {

using casacore::IPosition;
using casacore::MS;

namespace {

// A tile of DATA has at most this many bytes, and this many channels.
constexpr std::size_t tile_bytes = 1u << 20;
constexpr std::size_t max_tile_channels = 4096;

// casacore warns of ephemeris tables that nothing here uses; what matters is thrown.
void silence_casacore()
{
    static std::once_flag once;
    std::call_once(once, [] {
        casacore::LogSink::globalSink().filter(
            casacore::LogFilter(casacore::LogMessage::SEVERE));
    });
}

casacore::TableDesc main_description(const IPosition& cell)
{
    auto d = MS::requiredTableDesc();
    for (const auto column : {MS::DATA, MS::WEIGHT_SPECTRUM})
        MS::addColumnToDesc(d, column, cell, casacore::ColumnDesc::FixedShape);
    return d;
}

void bind_tiled(casacore::SetupNewTable& setup, const IPosition& cell, std::size_t rows)
{
    const auto n = static_cast<ssize_t>(rows);
    const IPosition tile(3, cell(0), std::min<ssize_t>(cell(1), max_tile_channels), n);
    const IPosition per_correlation(2, cell(0), 1024);
    const IPosition category(4, tile(0), tile(1), 1, n);

    const casacore::TiledColumnStMan data("TiledData", tile);
    const casacore::TiledColumnStMan weight_spectrum("TiledWeightSpectrum", tile);
    const casacore::TiledColumnStMan uvw("TiledUVW", IPosition(2, 3, 1024));
    const casacore::TiledShapeStMan flag("TiledFlag", tile);
    const casacore::TiledShapeStMan weight("TiledWeight", per_correlation);
    const casacore::TiledShapeStMan sigma("TiledSigma", per_correlation);
    const casacore::TiledShapeStMan flag_category("TiledFlagCategory", category);
    setup.bindColumn(MS::columnName(MS::DATA), data);
    setup.bindColumn(MS::columnName(MS::WEIGHT_SPECTRUM), weight_spectrum);
    setup.bindColumn(MS::columnName(MS::UVW), uvw);
    setup.bindColumn(MS::columnName(MS::FLAG), flag);
    setup.bindColumn(MS::columnName(MS::WEIGHT), weight);
    setup.bindColumn(MS::columnName(MS::SIGMA), sigma);
    setup.bindColumn(MS::columnName(MS::FLAG_CATEGORY), flag_category);
}

} // namespace

std::mutex& casacore_mutex()
{
    static std::mutex mutex;
    return mutex;
}

std::size_t ms_tile_rows(std::size_t channels, std::size_t correlations)
{
    const std::size_t row_bytes =
        std::min(channels, max_tile_channels) * correlations * sizeof(casacore::Complex);
    return std::clamp<std::size_t>(tile_bytes / row_bytes, 1, 1024);
}

const std::vector<std::string>& ms_tiled_managers()
{
    static const std::vector<std::string> names{"TiledData",
                                                "TiledWeightSpectrum",
                                                "TiledUVW",
                                                "TiledFlag",
                                                "TiledWeight",
                                                "TiledSigma"};
    return names;
}

std::unique_ptr<casacore::MeasurementSet> create_measurement_set(const std::string& path,
                                                                 std::size_t channels,
                                                                 std::size_t correlations)
{
    silence_casacore();
    const IPosition cell(2, correlations, channels);
    casacore::SetupNewTable setup(path, main_description(cell), casacore::Table::New);
    setup.bindAll(casacore::StandardStMan("SSM", 32768));
    // Columns whose value stays the same for many rows.
    const casacore::IncrementalStMan incremental("ISM");
    for (const auto column : {MS::TIME,
                              MS::TIME_CENTROID,
                              MS::INTERVAL,
                              MS::EXPOSURE,
                              MS::ARRAY_ID,
                              MS::DATA_DESC_ID,
                              MS::FIELD_ID,
                              MS::FEED1,
                              MS::FEED2,
                              MS::OBSERVATION_ID,
                              MS::PROCESSOR_ID,
                              MS::SCAN_NUMBER,
                              MS::STATE_ID,
                              MS::FLAG_ROW})
        setup.bindColumn(MS::columnName(column), incremental);
    bind_tiled(setup, cell, ms_tile_rows(channels, correlations));

    // Readers see pictures of it, see ms_snapshot; nobody else opens the table itself.
    auto ms = std::make_unique<casacore::MeasurementSet>(
        setup, casacore::TableLock(casacore::TableLock::PermanentLocking), 0);
    ms->createDefaultSubtables(casacore::Table::New);
    ms->initRefs();
    return ms;
}

} // namespace gr::fringe::io
