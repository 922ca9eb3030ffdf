/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_MEMORY_H
#define INCLUDED_FRINGE_KERNELS_MEMORY_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>

namespace gr::fringe::kernels {

/*!
 * Bytes of memory that this process may still take: what the system has free, swap included, and
 * what the limits of its control group and of its address space leave. The largest number where
 * the system says nothing.
 */
FRINGE_API std::uint64_t free_memory();

/*!
 * Throws std::runtime_error where `bytes` are more than free_memory(): a sentence with both
 * numbers. To be called before anything is allocated, as the system gives more memory than it
 * has, and ends the process when it is used.
 *
 * \param who block or file whose memory it is
 * \param what takes it: "sums of 300 baselines in 1024 channels"
 */
FRINGE_API void
require_memory(const std::string& who, const std::string& what, double bytes);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_MEMORY_H */
