/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_TYPES_H
#define INCLUDED_FRINGE_IO_HDF5_TYPES_H

#include <hdf5.h>

namespace gr::fringe::io {

// Types as h5py has them, for an hdf5_session; to be closed.

//! A complex number: a pair r, i.
hid_t hdf5_pair_type(hid_t part);
//! An enumeration of bytes, FALSE and TRUE.
hid_t hdf5_truth_type();

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_TYPES_H */
