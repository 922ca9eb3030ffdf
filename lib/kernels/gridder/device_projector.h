/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_DEVICE_CONVOLVER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_DEVICE_CONVOLVER_H

#include "kernels/device/device_factory.h"
#include "kernels/gridder/convolver.h"

namespace gr {
namespace fringe {
namespace kernels {

//! Makes a convolver for arrays in the device's memory.
FRINGE_API device_factory<convolver, w_kernels, convolver_params>& convolver_factory();

//! Makes a convolver on a device for arrays in the host's memory. The library of devices
//! fills this table, too, because only it opens devices.
FRINGE_API device_factory<convolver, w_kernels, convolver_params>&
host_convolver_factory();
//! Makes the convolver of a device for arrays in the host's memory, which it copies to the
//! device and back.
FRINGE_API std::unique_ptr<convolver> make_device_convolver(
    const std::shared_ptr<device>& on, const w_kernels& k, const convolver_params& p);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_DEVICE_CONVOLVER_H */
