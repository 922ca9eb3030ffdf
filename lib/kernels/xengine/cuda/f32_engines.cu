/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/cuda/f32_engines.h"

namespace gr::fringe::kernels {

namespace {

//! Below, tiles are mostly padding.
constexpr std::size_t min_inputs_for_tiles = 80;

} // namespace

std::unique_ptr<xengine> make_cuda_xengine_f32(const cuda_context& c,
                                               const xengine_params& p)
{
    return p.inputs < min_inputs_for_tiles ? make_cuda_xengine_f32_rows(c, p)
                                           : make_cuda_xengine_f32_tiles(c, p);
}

} // namespace gr::fringe::kernels
