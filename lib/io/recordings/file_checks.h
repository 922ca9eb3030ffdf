/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FILE_CHECKS_H
#define INCLUDED_FRINGE_IO_FILE_CHECKS_H

#include <functional>
#include <gnuradio/fringe/api.h>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe::io {

//! Called each tenth of a second while a file is checked; what it throws ends the check.
using while_checking = std::function<void()>;

/*!
 * Throws damaged_recording when an HDF5 file cannot be read without harm: of one that was
 * made for it a few kilobytes end the process that opens it, keep it busy for ever, or make
 * it ask for gigabytes.
 *
 * The program check_hdf5, which may use little memory and time, reads it. It is not a copy of this
 * process (a fork): for a copy OpenBLAS ends its threads, and a product of matrices that
 * another thread has numpy compute at that moment lacks its second half.
 */
FRINGE_API void check_hdf5_file(const std::string& path, const while_checking& then = {});

/*!
 * What is wrong with tables of casacore, in words, "" where nothing is: (folder, whether all rows
 * are read or some) each. The program check_tables reads them.
 */
FRINGE_API std::string
wrong_tables(const std::vector<std::pair<std::string, bool>>& tables,
             const while_checking& then = {});

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FILE_CHECKS_H */
