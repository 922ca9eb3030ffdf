/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_PATHS_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_PATHS_H

#include "kernels/channelizer/cuda/backend.h"
#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

//! How the transform is done.
enum class transform_path {
    automatic, //!< with what follows in one kernel where there is such a one, or by cuFFT
    cufft,     //!< by cuFFT, any size: filter, cuFFT, finish
};

//! make_cuda_channelizer() takes `automatic`; tests and the benchmark compare them. The
//! filtered samples of a part of a block stand in `workspace_bytes`, or in more where 128
//! spectra of an input need it.
std::unique_ptr<channelizer> make_cuda_channelizer(const cuda_context& c,
                                                   const channelizer_params& p,
                                                   transform_path path,
                                                   std::size_t workspace_bytes);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_PATHS_H */
