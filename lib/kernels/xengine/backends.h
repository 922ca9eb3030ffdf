/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H

#include "kernels/base/worker_ranges.h"
#include "kernels/device/device_factory.h"
#include "kernels/xengine/xengine.h"

namespace gr::fringe::kernels {

//! Double or int64 sums and plain loops: what the others are compared with.
std::unique_ptr<xengine> make_generic_xengine(const xengine_params& p);
//! Vectors along channels.
std::unique_ptr<xengine> make_cpu_xengine_lanes(const xengine_params& p);
//! Complex int8, exact: vectors of int16 along time.
std::unique_ptr<xengine> make_cpu_xengine_i8(const xengine_params& p);

//! Makes it on a device, and knows the layout of spectra that is fastest there.
struct device_xengine_factory : device_factory<xengine, xengine_params> {
    std::atomic<spectra_layout (*)(const xengine_params&)> layout{nullptr};
};
FRINGE_API device_xengine_factory& xengine_factory();

//! Throws std::invalid_argument for spectra outside a block.
FRINGE_API void
check_spectra(const xengine_params& p, std::size_t first, std::size_t count);
//! Throws std::invalid_argument for channels that are not there.
FRINGE_API void
check_channels(const xengine_params& p, std::size_t first, std::size_t count);
//! Throws std::overflow_error when int32 sums of this number of spectra could wrap.
FRINGE_API void check_exact(std::size_t spectra);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H */
