/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_MS_TABLES_H
#define INCLUDED_FRINGE_IO_MS_TABLES_H

#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"
#include <array>
#include <casacore/ms/MeasurementSets/MeasurementSet.h>
#include <memory>
#include <mutex>

namespace gr::fringe::io {

//! casacore's tables are shared by the whole process and are not made for threads:
//! every use of casacore holds this.
std::mutex& casacore_mutex();

//! Rows of the main table in a tile of the columns that hold channels.
std::size_t ms_tile_rows(std::size_t channels, std::size_t correlations);
//! Names of the storage managers whose files grow by tiles.
const std::vector<std::string>& ms_tiled_managers();

//! Makes an empty MeasurementSet at `path`: the main table and empty subtables.
std::unique_ptr<casacore::MeasurementSet> create_measurement_set(
    const std::string& path, std::size_t channels, std::size_t correlations);

//! Fills all subtables that can be filled before the first dump.
void fill_subtables(casacore::MeasurementSet& ms,
                    const visibility_file_params& params,
                    const baseline_layout& layout);

//! Adds the one field, its direction ICRS (ra, dec) in radians, and says in the history
//! how it came about. (The table calls it J2000, which imagers insist on; the two differ
//! by 0.02 arcseconds.)
void fill_field(casacore::MeasurementSet& ms,
                const visibility_file_params& params,
                const std::array<double, 2>& radec,
                const epoch& when);

//! Changes the direction of the field to the ICRS (ra, dec) in radians, where it was at `when`.
void point_field(casacore::MeasurementSet& ms,
                 const std::array<double, 2>& radec,
                 const epoch& when);

//! A line of the history, of the instant `time` in MJD seconds.
void add_history(casacore::MeasurementSet& ms, const std::string& line, double time);

//! Start and end of what is in the file, MJD seconds.
void fill_time_range(casacore::MeasurementSet& ms, double start, double end);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_MS_TABLES_H */
