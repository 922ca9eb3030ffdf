/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_STREAM_MAJOR_BITS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_STREAM_MAJOR_BITS_H

#include "kernels/unpack/encoding.h"

namespace gr::fringe::kernels {

//! One-bit real samples, [stream][time], the first sample in the most significant bit of
//! a byte; bit 1 -> +1, bit 0 -> -1. Blocks hold a multiple of 8 samples.
FRINGE_API encoding stream_major_bits();

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_STREAM_MAJOR_BITS_H */
