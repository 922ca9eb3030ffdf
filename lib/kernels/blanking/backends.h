/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_BACKENDS_H

#include "kernels/blanking/blanking.h"
#include "kernels/device/device_factory.h"

namespace gr::fringe::kernels {

//! The equations as they stand.
std::unique_ptr<blanking> make_generic_blanking(const blanking_params& p);
//! Vectors along time.
std::unique_ptr<blanking> make_cpu_blanking(const blanking_params& p);

//! Makes it on a device.
FRINGE_API device_factory<blanking, blanking_params>& blanking_factory();

//! Throw std::invalid_argument for samples that are not held or for which there is no room.
FRINGE_API void
check_room(const blanking_params& p, std::size_t held, std::size_t samples);
FRINGE_API void check_held(std::size_t held, std::size_t first, std::size_t count);
FRINGE_API void check_runs(const blanking_params& p,
                           std::size_t held,
                           const std::vector<sample_run>& runs);
FRINGE_API void check_windows(std::size_t held, const sample_windows& w);
FRINGE_API void check_limits(const blanking_params& p,
                             const sample_windows& w,
                             const std::vector<blanking_limits>& limits);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_BACKENDS_H */
