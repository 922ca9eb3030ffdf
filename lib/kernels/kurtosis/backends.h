/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_BACKENDS_H

#include "kernels/device/device_factory.h"
#include "kernels/kurtosis/kurtosis.h"

namespace gr::fringe::kernels {

//! The equations as they stand, in double.
std::unique_ptr<kurtosis> make_generic_kurtosis(const kurtosis_params& p);
//! Vectors along time, or along channels in a time-major block.
std::unique_ptr<kurtosis> make_cpu_kurtosis(const kurtosis_params& p);

//! Makes it on a device.
FRINGE_API device_factory<kurtosis, kurtosis_params>& kurtosis_factory();

//! Throws std::invalid_argument for spectra outside a block.
FRINGE_API void check_spectra(const kurtosis_params& p, std::size_t count);
//! The same for cells.
FRINGE_API void check_cells(const kurtosis_params& p, const std::vector<cell_run>& cells);

//! kurtosis::zero() of blocks in the host's memory.
void zero_cells(const kurtosis_params& p,
                const std::vector<void*>& blocks,
                const std::vector<cell_run>& cells);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_BACKENDS_H */
