/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVH5_COLUMNS_H
#define INCLUDED_FRINGE_IO_UVH5_COLUMNS_H

#include "array/geometry.h"
#include "io/durable/hdf5_output.h"
#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"

namespace gr::fringe::io {

/*!
 * A dataset of a UVH5 file that grows with the dumps: one row for each baseline and time,
 * or for each time.
 */
struct uvh5_column {
    const char* name;
    hdf5_output::element type;
    std::vector<hsize_t> row; //!< shape of a row
    std::size_t row_bytes;
    std::size_t chunk_rows;
    std::size_t dump_rows; //!< rows of a dump
};

//! All of them; those of the visibilities come last and have chunks of
//! uvh5_chunk_rows().
std::vector<uvh5_column> uvh5_columns(const visibility_file_params& params,
                                      const baseline_layout& layout);

//! Rows of a chunk of visibilities.
std::size_t uvh5_chunk_rows(const visibility_file_params& params,
                            const baseline_layout& layout);

//! The time that a dump has in the file, and the bits of it, the same for the same time.
double uvh5_julian_date(const dump& d);
std::uint64_t uvh5_time(const dump& d);

//! Writes what is the same for all channels of dump `index`, uvw excepted: times,
//! antennas and where the phase center, axes.w, is as seen from the turning earth.
void write_uvh5_times(hdf5_output& file,
                      const observation& obs,
                      const baseline_layout& layout,
                      const dump& d,
                      const array::uvw_axes& axes,
                      std::uint64_t index,
                      std::uint64_t first_row);

//! Writes where what moves is in dump `index`: ICRS (ra, dec) in radians, and a satellite's
//! distance in meters.
void write_uvh5_place(hdf5_output& file,
                      const visibility_file_params& params,
                      const dump& d,
                      const std::array<double, 2>& radec,
                      double distance,
                      std::uint64_t index);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVH5_COLUMNS_H */
