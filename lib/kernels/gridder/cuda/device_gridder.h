/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_DEVICE_GRIDDER_H
#define INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_DEVICE_GRIDDER_H

#include "kernels/cuda/context.h"
#include "kernels/gridder/separable/device.h"

namespace gr::fringe::kernels {

//! Its kernels run in the stream `compute` of this context, which outlives it.
std::unique_ptr<device_gridder> make_cuda_gridder(const cuda_context& c,
                                                  const gridder_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_GRIDDER_CUDA_DEVICE_GRIDDER_H */
