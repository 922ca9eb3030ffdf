/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_SHADOW_H
#define INCLUDED_FRINGE_IO_HDF5_SHADOW_H

#include "io/durable/shadow_file.h"
#include <hdf5.h>
#include <string>

namespace gr::fringe::io {

/*!
 * Makes one side of a shadow file an HDF5 file, empty and open for writing: the library
 * writes its tables and the data there by a driver of its own. What
 * a failed call of the library met with will be in `error`. While `labeling` is true,
 * nothing but labels, attributes, may be changed. These three must outlive the handle. An hdf5_session must be held. Throws std::runtime_error.
 */
hid_t make_hdf5_side(shadow_file& file,
                     int side,
                     std::string& error,
                     const bool& labeling);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_SHADOW_H */
