/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/gpu_memory.h"
#include "kernels/xengine/cuda/f32_layout.h"
#include "kernels/xengine/cuda/tiles_plan.h"
#include <algorithm>

namespace gr::fringe {

using namespace kernels;

namespace {

constexpr std::size_t multiprocessors = 132; // of an H100 or H200

bool in_tiles(const xengine_params& p) { return p.in == component::i8 && p.inputs >= 16; }

tile_layout tiles_of(const xengine_params& p)
{
    return {p.inputs, p.channels, p.block_spectra};
}

std::size_t tile_sums(const xengine_params& p)
{
    const auto groups = static_cast<int>(tiles_of(p).input_groups());
    return p.inputs <= small_plan::inputs
               ? small_plan{groups}.sums()
               : tile_plan{groups, tiles_of(p).planes() == 3}.sums();
}

} // namespace

std::size_t xengine_bytes(const xengine_params& p)
{
    if (in_tiles(p)) {
        const tile_layout edge{p.inputs, p.channels, tile_layout::width};
        const std::size_t stash =
            edge.planes() == 3 ? multiprocessors * tile_plan::square * 4 : 0;
        return 4 * p.channels * tile_sums(p) + stash + edge.bytes();
    }
    return p.in == component::f32 && p.inputs >= f32_layout::tile
               ? 16 * f32_layout{p.inputs, p.channels}.size()
               : 8 * p.channels * baselines(p.inputs);
}

std::size_t integrator_bytes(std::size_t inputs, std::size_t channels, bool flagged)
{
    constexpr std::size_t sum = 16, left_out = 8;
    constexpr std::size_t valid = 8, factors = 24, tables = 4 * 8; // of a product
    return baselines(inputs) *
           (channels * (sum + (flagged ? left_out : 0)) + valid + factors + tables);
}

std::size_t channelizer_bytes(const channelizer_params& p)
{
    constexpr std::size_t workspace = std::size_t(512) << 20; // of usual blocks at most
    const std::size_t sample = 2 * component_bytes(p.in);
    const std::size_t shift =
        (p.max_shift_samples + p.points() - 1) / std::max<std::size_t>(p.points(), 1);
    const std::size_t rows = p.taps - 1 + 2 * shift;
    const std::size_t history =
        2 * (shift > 0 ? 2 : 1) * rows * p.inputs * p.channels * sample;
    const std::size_t whole = 8 * p.inputs * p.channels * p.block_spectra;
    return history + std::min(whole, workspace);
}

std::size_t spectra_bytes(const xengine_params& p)
{
    return in_tiles(p)
               ? tiles_of(p).bytes()
               : 2 * p.inputs * p.channels * p.block_spectra * component_bytes(p.in);
}

std::size_t blocks_together(const xengine_params& p)
{
    return in_tiles(p) && p.inputs > small_plan::inputs
               ? tile_blocks_together(tiles_of(p))
               : 1;
}

} // namespace gr::fringe
