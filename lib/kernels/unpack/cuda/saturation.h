/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_SATURATION_H
#define INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_SATURATION_H

#include "kernels/cuda/context.h"
#include "kernels/unpack/unpacker.h"

namespace gr::fringe::kernels {

//! unpacker::count_saturated() on the GPU: voltages [input][stride samples], counts
//! [input] in its memory.
void count_saturated(const cuda_context& c,
                     const encoding& e,
                     component of,
                     const void* voltages,
                     std::size_t inputs,
                     std::size_t stride,
                     std::size_t samples,
                     std::uint64_t* counts);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_UNPACK_CUDA_SATURATION_H */
