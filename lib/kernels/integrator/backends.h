/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H

#include "kernels/integrator/integrator.h"

namespace gr {
namespace fringe {
namespace kernels {

//! The equation as it stands.
std::unique_ptr<integrator> make_generic_integrator(const integrator_params& p);
//! Factors once per baseline, then plain streams over the channels.
std::unique_ptr<integrator> make_cpu_integrator(const integrator_params& p);

//! Throws std::invalid_argument for channels that are not there.
FRINGE_API void
check_channels(const integrator_params& p, std::size_t first, std::size_t count);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_BACKENDS_H */
