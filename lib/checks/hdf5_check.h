/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_HDF5_CHECK_H
#define INCLUDED_FRINGE_CHECKS_HDF5_CHECK_H

#include <string>

namespace gr::fringe::checks {

/*!
 * What is wrong with an HDF5 file, "" where nothing is; the process may die of it.
 *
 * Everything in it is gone through; of a small file all is read, of a larger one what says where
 * the data lie. Refused are, too: datasets that claim much more than is stored (packing makes at
 * most a thousandth of it), that lie in other files, that are packed twice or by an unknown
 * filter; and links to other files. A file that is merely damaged is left to its reader.
 */
std::string wrong_hdf5(const std::string& path);

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_HDF5_CHECK_H */
