/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_HDF5_CHECK_H
#define INCLUDED_FRINGE_IO_HDF5_CHECK_H

#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::io {

/*!
 * Throws damaged_recording when an HDF5 file cannot be read without harm: of one that was
 * made for it a few kilobytes end the process that opens it, keep it busy for ever, or make
 * it ask for gigabytes.
 *
 * A process of its own, which may use little memory and time, opens the file and goes through
 * everything in it; it reads all of a small file, and of a larger one what says where the
 * data lie. Refused are, too: datasets that claim much more than is stored (packing makes at
 * most a thousandth of it), that lie in other files, that are packed twice or by an unknown
 * filter; and links to other files. A file that is merely damaged is left to its reader.
 */
FRINGE_API void check_hdf5_file(const std::string& path);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_HDF5_CHECK_H */
