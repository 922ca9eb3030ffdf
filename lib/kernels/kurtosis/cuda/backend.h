/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_BACKEND_H

#include "kernels/cuda/context.h"
#include "kernels/kurtosis/kurtosis.h"

namespace gr::fringe::kernels {

//! The context outlives it. Parameters have been checked.
std::unique_ptr<kurtosis> make_cuda_kurtosis(const cuda_context& c,
                                             const kurtosis_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_KURTOSIS_CUDA_BACKEND_H */
