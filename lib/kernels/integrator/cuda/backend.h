/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_BACKEND_H

#include "kernels/cuda/context.h"
#include "kernels/integrator/integrator.h"

namespace gr::fringe::kernels {

//! The context outlives it. Parameters have been checked.
std::unique_ptr<integrator> make_cuda_integrator(const cuda_context& c,
                                                 const integrator_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_BACKEND_H */
