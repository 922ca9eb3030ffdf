/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_BACKEND_H

#include "kernels/blanking/blanking.h"
#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

//! The context outlives it. Parameters have been checked.
std::unique_ptr<blanking> make_cuda_blanking(const cuda_context& c,
                                             const blanking_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BLANKING_CUDA_BACKEND_H */
