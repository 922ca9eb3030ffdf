/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DEVICE_DEVICES_H
#define INCLUDED_FRINGE_KERNELS_DEVICE_DEVICES_H

#include "kernels/device/device.h"

namespace gr::fringe::kernels {

//! The devices of this machine. Without any, `why` becomes a sentence that says
//! what is missing.
FRINGE_API std::vector<device_info> find_devices(std::string& why);

//! Device number `index` of this machine, the same one at every call. Throws device_error
//! with a sentence when it does not answer.
FRINGE_API std::shared_ptr<device> open_device(std::size_t index);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DEVICE_DEVICES_H */
