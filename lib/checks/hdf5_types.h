/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_HDF5_TYPES_H
#define INCLUDED_FRINGE_CHECKS_HDF5_TYPES_H

#include <hdf5.h>
#include <string>

namespace gr::fringe::checks {

/*!
 * What is wrong with a type of values; "" where nothing is.
 *
 * h5py reads a number of unusual form as a longer one of numpy, and leaves the places of a
 * compound as they are in the file: the values overwrite what lies behind them in the memory.
 */
std::string wrong_type(hid_t type);

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_HDF5_TYPES_H */
