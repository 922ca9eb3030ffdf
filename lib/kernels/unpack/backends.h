/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_BACKENDS_H

#include "kernels/device/device_factory.h"
#include "kernels/unpack/unpacker.h"

namespace gr::fringe::kernels {

// Those of the CPU are functions of an encoding: see encoding.h.

//! Makes it on a device.
FRINGE_API device_factory<unpacker, unpacker_params>& unpacker_factory();

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_BACKENDS_H */
