/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BACKEND_H
#define INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BACKEND_H

#include "kernels/beamformer/beamformer.h"
#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

//! By tensor cores where the spectra are int8 and the GPU is a Hopper, else in float32. The
//! context outlives it. Parameters have been checked.
std::unique_ptr<beamformer> make_cuda_beamformer(const cuda_context& c,
                                                 const beamformer_params& p);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_BEAMFORMER_CUDA_BACKEND_H */
