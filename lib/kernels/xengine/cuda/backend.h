/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_BACKEND_H

#include "kernels/cuda/context.h"
#include "kernels/xengine/xengine.h"

namespace gr::fringe::kernels {

// The context outlives what these make. Parameters have been checked.

//! The engine that suits the size and the layout.
std::unique_ptr<xengine> make_cuda_xengine(const cuda_context& c,
                                           const xengine_params& p);
//! Complex float32 [channel][input][time].
std::unique_ptr<xengine> make_cuda_xengine_f32(const cuda_context& c,
                                               const xengine_params& p);
//! Complex int8 [channel][input][time], without tensor cores: small arrays.
std::unique_ptr<xengine> make_cuda_xengine_i8_rows(const cuda_context& c,
                                                   const xengine_params& p);
//! Complex int8 in tiles, or in rows that it brings into tiles itself: tensor cores.
std::unique_ptr<xengine> make_cuda_xengine_i8_tiles(const cuda_context& c,
                                                    const xengine_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_BACKEND_H */
