/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/xengine/backends.h"
#include "kernels/xengine/cuda/backend.h"

namespace gr::fringe::kernels {

namespace {

//! Below, tiles are mostly padding.
constexpr std::size_t min_inputs_for_tiles = 16;

spectra_layout fastest_layout(const xengine_params& p)
{
    return p.in == component::i8 && p.inputs >= min_inputs_for_tiles
               ? spectra_layout::tensor_tiles
               : spectra_layout::channel_major;
}

const bool registered = [] {
    xengine_factory().layout = fastest_layout;
    return xengine_factory().set([](std::size_t index, const xengine_params& p) {
        return make_cuda_xengine(context_of(index), p);
    });
}();

} // namespace

std::unique_ptr<xengine> make_cuda_xengine(const cuda_context& c, const xengine_params& p)
{
    if (p.in == component::f32) {
        return make_cuda_xengine_f32(c, p);
    }
    return p.layout == spectra_layout::tensor_tiles || p.inputs >= min_inputs_for_tiles
               ? make_cuda_xengine_i8_tiles(c, p)
               : make_cuda_xengine_i8_rows(c, p);
}

} // namespace gr::fringe::kernels
