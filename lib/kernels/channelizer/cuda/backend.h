/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BACKEND_H

#include "kernels/channelizer/channelizer.h"
#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

//! The context outlives it. Parameters have been checked.
std::unique_ptr<channelizer> make_cuda_channelizer(const cuda_context& c,
                                                   const channelizer_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_BACKEND_H */
