/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_BACKENDS_H

#include "kernels/device/device_factory.h"
#include "kernels/overlap_save/overlap_save.h"

namespace gr::fringe::kernels {

//! The equation as it stands, in double precision.
std::unique_ptr<overlap_save>
make_generic_overlap_save(const overlap_save_params& p,
                          const std::complex<float>* filters);
//! In single precision, by all threads.
std::unique_ptr<overlap_save> make_cpu_overlap_save(const overlap_save_params& p,
                                                    const std::complex<float>* filters);

//! Makes it on a device.
FRINGE_API device_factory<overlap_save, overlap_save_params, const std::complex<float>*>&
overlap_save_factory();

//! Makes one for the host's memory. The library of devices fills this table, too, because only it
//! opens devices.
FRINGE_API device_factory<overlap_save, overlap_save_params, const std::complex<float>*>&
overlap_save_of_host_factory();
//! `kernel`: for the memory of the device.
FRINGE_API std::unique_ptr<overlap_save>
make_overlap_save_on(const std::shared_ptr<device>& on,
                     std::unique_ptr<overlap_save> kernel);

//! Throws std::invalid_argument where there is no row, and where a transform makes no sample.
void check_filters(const overlap_save_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_BACKENDS_H */
