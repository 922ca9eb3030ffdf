/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CUDA_DEVICE_H
#define INCLUDED_FRINGE_KERNELS_CUDA_DEVICE_H

#include "kernels/cuda/context.h"

namespace gr::fringe::kernels {

cudaStream_t stream_of(const cuda_context& c, device_stream where);

//! A GPU, as a device and as the stages of this library see it.
class cuda_device : public device
{
public:
    virtual const cuda_context& context() const = 0;
};

//! Opens the GPU that `info` describes, which is number `index` for the runtime. Throws
//! device_error.
std::shared_ptr<cuda_device> make_cuda_device(const device_info& info, int index);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CUDA_DEVICE_H */
