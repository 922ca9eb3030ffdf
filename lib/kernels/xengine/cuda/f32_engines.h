/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_ENGINES_H
#define INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_ENGINES_H

#include "kernels/cuda/context.h"
#include "kernels/xengine/cuda/backend.h"

namespace gr::fringe::kernels {

//! For few inputs, where memory is the limit: threads along time.
std::unique_ptr<xengine> make_cuda_xengine_f32_rows(const cuda_context& c,
                                                    const xengine_params& p);
//! For more, on tensor cores: single precision in two parts of 11 bits.
std::unique_ptr<xengine> make_cuda_xengine_f32_tensor(const cuda_context& c,
                                                      const xengine_params& p);
//! Whether three products by tensor cores are faster than one without on this GPU, as on those
//! of data centers, and whether the code that was compiled has the instructions for them.
bool f32_tensor_cores_pay(const cuda_context& c);
//! For many, where arithmetic is: tiles of 128 inputs.
std::unique_ptr<xengine> make_cuda_xengine_f32_tiles(const cuda_context& c,
                                                     const xengine_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_XENGINE_CUDA_F32_ENGINES_H */
