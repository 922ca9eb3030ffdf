/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H

#include "kernels/base/host_device.h"
#include "kernels/device/device_factory.h"
#include "kernels/integrator/integrator.h"

namespace gr::fringe::kernels {

//! The equation as it stands.
std::unique_ptr<integrator> make_generic_integrator(const integrator_params& p);
//! Factors once per baseline, then plain streams over the channels.
std::unique_ptr<integrator> make_cpu_integrator(const integrator_params& p);

//! Spectra that count, of those in which both inputs were valid.
FRINGE_HOST_DEVICE inline std::uint64_t count_of(std::uint64_t valid,
                                                 std::uint64_t left_out)
{
    return valid > left_out ? valid - left_out : 0;
}

//! Makes it on a device.
FRINGE_API device_factory<integrator, integrator_params>& integrator_factory();

//! Throws std::invalid_argument for channels that are not there.
FRINGE_API void
check_channels(const integrator_params& p, std::size_t first, std::size_t count);
//! Throws std::invalid_argument for valid spectra that are not one number a baseline.
FRINGE_API void check_flagged(const integrator_params& p,
                              const std::vector<flagged_spectra>& flagged);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H */
