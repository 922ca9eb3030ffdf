/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_BACKENDS_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_BACKENDS_H

#include "kernels/gridder/gridder.h"

namespace gr::fringe::kernels {

//! Plain loops in double: what the others are compared with.
std::unique_ptr<gridder> make_generic_gridder(const gridder_params& p);
std::unique_ptr<gridder> make_generic_direct_gridder(const gridder_params& p);
//! Vectors, tiles that stay in the cache, all cores.
std::unique_ptr<gridder> make_cpu_gridder(const gridder_params& p);
//! Where w is left out a product of matrices (BLAS), else vectors along pixels.
std::unique_ptr<gridder> make_cpu_direct_gridder(const gridder_params& p);

//! W-projection by the convolver of a backend.
std::unique_ptr<gridder> make_w_projection_gridder(const compute_target& which,
                                                   const gridder_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_BACKENDS_H */
