/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_TABLES_CHECK_H
#define INCLUDED_FRINGE_CHECKS_TABLES_CHECK_H

#include <string>

namespace gr::fringe::checks {

/*!
 * Reads a table of casacore and its subtables; the process may die of it. What casacore refuses by
 * an exception is left to the reader. A table with more rows than its files have room for is thrown
 * as a bad_part: reading them takes hours.
 *
 * whole: all rows of the main table; otherwise some cells of each of its columns of arrays.
 */
void read_tables(const std::string& path, bool whole);

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_TABLES_CHECK_H */
