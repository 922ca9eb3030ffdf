/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_PEELING_BACKENDS_H

#include "kernels/device/device_factory.h"
#include "kernels/peeling/peeling.h"

namespace gr::fringe::kernels {

//! The equations as they stand.
std::unique_ptr<peeling> make_generic_peeling(const peeling_params& p);

//! Makes it on a device.
FRINGE_API device_factory<peeling, peeling_params>& peeling_factory();

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_BACKENDS_H */
