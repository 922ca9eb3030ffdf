/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_IMAGE_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_IMAGE_H

#include "kernels/gridder/wprojection/w_kernels.h"

namespace gr::fringe::kernels {

//! Adds the real parts of a transformed grid [v][u][polarization], corrected for the taper, to
//! images [polarization][row][column].
FRINGE_API void add_images(const gridder_params& p,
                           const w_kernels& k,
                           const std::complex<float>* grid,
                           float* images);
//! Sets a grid to the forward transform of corrected images.
FRINGE_API void make_grid(const gridder_params& p,
                          const w_kernels& k,
                          const float* images,
                          std::complex<float>* grid);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_WPROJECTION_W_IMAGE_H */
