/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_INDEX_RANGE_H
#define INCLUDED_FRINGE_IO_INDEX_RANGE_H

#include <cstddef>

namespace gr::fringe::io {

//! Consecutive channels, or inputs, that go to one address.
struct index_range {
    std::size_t first = 0, count = 0;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_INDEX_RANGE_H */
