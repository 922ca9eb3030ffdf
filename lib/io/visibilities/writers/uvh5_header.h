/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UVH5_HEADER_H
#define INCLUDED_FRINGE_IO_UVH5_HEADER_H

#include "io/durable/hdf5_output.h"
#include "io/visibilities/visibility_writer.h"
#include "io/visibilities/writers/baseline_layout.h"
#include <array>

namespace gr::fringe::io {

//! Writes all of an empty file that is known before the first dump: the header and the
//! empty columns. The group /gr-fringe is not part of UVH5: it keeps what a Julian date
//! cannot (the exact start of each dump), the exposure and the observation itself.
void write_uvh5_header(hdf5_output& file,
                       const visibility_file_params& params,
                       const baseline_layout& layout);

//! The text of the history, of a file whose first dump is at `when`.
std::string uvh5_history(const visibility_file_params& params,
                         const std::array<double, 2>& radec,
                         const epoch& when);

//! The one phase center, ICRS (ra, dec) in radians, that of the first dump at `when`; a
//! satellite's places are columns.
void write_uvh5_phase_center(hdf5_output& file,
                             const visibility_file_params& params,
                             const std::array<double, 2>& radec,
                             const epoch& when);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UVH5_HEADER_H */
