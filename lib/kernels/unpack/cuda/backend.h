/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_BACKEND_H

#include "kernels/cuda/context.h"
#include "kernels/unpack/unpacker.h"

namespace gr::fringe::kernels {

//! The context outlives it. Parameters have been checked.
std::unique_ptr<unpacker> make_cuda_unpacker(const cuda_context& c,
                                             const unpacker_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_BACKEND_H */
