/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_CHECKS_HDF5_HEAPS_H
#define INCLUDED_FRINGE_CHECKS_HDF5_HEAPS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace gr::fringe::checks {

/*!
 * What is wrong with the global heaps of an HDF5 file, where texts of any length lie; "" where
 * nothing is.
 *
 * libhdf5 believes the size of what lies there: one of almost 2^64 bytes overwrites the memory of
 * the process that reads it, which may or may not end by that.
 */
std::string wrong_heap(const std::uint8_t* file, std::size_t bytes);

} // namespace gr::fringe::checks

#endif /* INCLUDED_FRINGE_CHECKS_HDF5_HEAPS_H */
