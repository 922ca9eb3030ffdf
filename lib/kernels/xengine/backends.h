/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H

#include "kernels/base/workers.h"
#include "kernels/device/device_factory.h"
#include "kernels/xengine/xengine.h"
#include <algorithm>

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

/*!
 * Calls add(first channel, channels, slot) for all channels, on several threads at once:
 * some parts for each worker, none so small (`cost`: multiplications of a channel) that
 * it is done faster than a worker wakes up.
 */
template <class F>
void share_channels(workers& all, std::size_t channels, std::size_t cost, const F& add)
{
    constexpr std::size_t min_cost = 1 << 19;
    const std::size_t wanted = all.slots() == 1 ? 1 : 4 * all.slots();
    const std::size_t part =
        std::max({channels / wanted, min_cost / (cost + 1), std::size_t(1)});
    all.run((channels + part - 1) / part, [&](std::size_t k, unsigned slot) {
        add(k * part, std::min(part, channels - k * part), slot);
    });
}

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_BACKENDS_H */
