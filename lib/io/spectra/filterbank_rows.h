/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_FILTERBANK_ROWS_H
#define INCLUDED_FRINGE_IO_FILTERBANK_ROWS_H

#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

/*!
 * Appends means of beams, [time][row][channel], to SIGPROC filterbank files, of which each has as
 * many of the rows as the others: [time][row of the file][channel], channels from the highest
 * frequency down, little-endian. Before them come `heads`, of each file, or none.
 *
 * Throws std::system_error where a file cannot be written.
 */
FRINGE_API void append_filterbank_rows(const std::vector<int>& files,
                                       const std::vector<std::string>& heads,
                                       const float* means,
                                       std::size_t times,
                                       std::size_t rows,
                                       std::size_t channels);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_FILTERBANK_ROWS_H */
