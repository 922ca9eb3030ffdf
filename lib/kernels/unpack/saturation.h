/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_SATURATION_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_SATURATION_H

#include "kernels/unpack/encoding.h"

namespace gr::fringe::kernels {

/*!
 * Number of unpacked samples of one input that are saturated: a component x of theirs is at
 * the rail, |x| >= e.rail. That counts both ways in which recorders clip: symmetrically (8
 * bits: -127 ... 127), or to all codes there are (-128 ... 127). 0 without a rail.
 */
FRINGE_API std::uint64_t
saturated(const encoding& e, component c, const void* row, std::size_t samples);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_SATURATION_H */
