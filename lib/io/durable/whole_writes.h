/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_DURABLE_WHOLE_WRITES_H
#define INCLUDED_FRINGE_IO_DURABLE_WHOLE_WRITES_H

#include <cstddef>
#include <cstdint>

namespace gr::fringe::io {

//! Writes bytes to a file, also where the system takes them in parts or a signal comes. Returns how
//! many were written; after fewer than all, errno says why.
std::size_t write_whole(int file, const void* data, std::size_t bytes);
//! The same, at a place.
std::size_t
write_whole_at(int file, const void* data, std::size_t bytes, std::uint64_t at);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_DURABLE_WHOLE_WRITES_H */
