/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_BACKENDS_H

#include "kernels/beamformer/beamformer.h"
#include "kernels/device/device_factory.h"

namespace gr::fringe::kernels {

//! Plain loops in double: what the others are compared with.
std::unique_ptr<beamformer> make_generic_beamformer(const beamformer_params& p);
//! Vectors along time.
std::unique_ptr<beamformer> make_cpu_beamformer(const beamformer_params& p);

//! Makes it on a device.
using device_beamformer_factory = device_factory<beamformer, beamformer_params>;
FRINGE_API device_beamformer_factory& beamformer_factory();

//! Throws std::invalid_argument for spectra outside a block.
FRINGE_API void
check_beam_spectra(const beamformer_params& p, std::size_t first, std::size_t count);
//! Throws std::invalid_argument unless `average` divides the channels.
FRINGE_API void check_beam_average(const beamformer_params& p, std::size_t average);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_BACKENDS_H */
