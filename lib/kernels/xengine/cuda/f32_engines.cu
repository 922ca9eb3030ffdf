/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/f32_engines.h"

namespace gr::fringe::kernels {

namespace {

//! Below, memory is the limit, and rows read it best.
constexpr std::size_t min_inputs_for_tensor_cores = 17;
//! Places in 40 rows fit into 32 bits.
constexpr std::size_t max_spectra_for_tensor_cores = std::size_t(1) << 26;
//! Without tensor cores. Below, tiles are mostly padding.
constexpr std::size_t min_inputs_for_tiles = 80;

} // namespace

std::unique_ptr<xengine> make_cuda_xengine_f32(const cuda_context& c,
                                               const xengine_params& p)
{
    if (p.inputs >= min_inputs_for_tensor_cores &&
        p.block_spectra <= max_spectra_for_tensor_cores && f32_tensor_cores_pay(c)) {
        return make_cuda_xengine_f32_tensor(c, p);
    }
    return p.inputs < min_inputs_for_tiles ? make_cuda_xengine_f32_rows(c, p)
                                           : make_cuda_xengine_f32_tiles(c, p);
}

} // namespace gr::fringe::kernels
