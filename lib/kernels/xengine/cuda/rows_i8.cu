/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/backend.h"
#include "kernels/xengine/cuda/rows_engine.cuh"

namespace gr::fringe::kernels {

std::unique_ptr<xengine> make_cuda_xengine_i8_rows(const cuda_context& c,
                                                   const xengine_params& p)
{
    return std::make_unique<cuda_xengine_rows<i8_samples, int>>(c, p);
}

} // namespace gr::fringe::kernels
