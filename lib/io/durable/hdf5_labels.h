/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_LABELS_H
#define INCLUDED_FRINGE_IO_HDF5_LABELS_H

#include "io/durable/hdf5_output.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gr::fringe::io {

// What datasets, groups ("/" is the file itself) and their axes are called in an HDF5 file.
// Failures are std::runtime_error.

//! Attributes, which must be new.
void label_text(hdf5_output& file,
                const std::string& object,
                const std::string& name,
                const std::string& value);
void label_number(hdf5_output& file,
                  const std::string& object,
                  const std::string& name,
                  double value);
void label_integer(hdf5_output& file,
                   const std::string& object,
                   const std::string& name,
                   std::int64_t value);

//! The axes of a dataset: each has the name of a dataset, which has a value for each place on
//! it (a dimension scale), where there is one of that name.
void label_axes(hdf5_output& file,
                const std::string& dataset,
                const std::vector<std::string>& axes);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_LABELS_H */
