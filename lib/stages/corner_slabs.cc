/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/corner_slabs.h"
#include "kernels/xengine/tiles.h"
#include <numeric>

namespace gr::fringe {

using kernels::spectra_layout;
using kernels::tile_layout;

namespace {

std::size_t sum_of(const std::vector<std::size_t>& parts, std::size_t count)
{
    return std::accumulate(parts.begin(),
                           parts.begin() + static_cast<std::ptrdiff_t>(count),
                           std::size_t(0));
}

} // namespace

std::size_t corner_params::all_inputs() const { return sum_of(inputs, inputs.size()); }

std::size_t corner_params::all_channels() const
{
    return sum_of(channels, channels.size());
}

std::size_t corner_params::first_input(std::size_t g) const { return sum_of(inputs, g); }

std::size_t corner_params::first_channel(std::size_t d) const
{
    return sum_of(channels, d);
}

bool corner_params::tiles_fit() const
{
    const std::size_t planes = tile_layout{all_inputs(), 1, 1}.planes();
    for (std::size_t g = 0; g < inputs.size(); ++g) {
        const bool last = g + 1 == inputs.size();
        if ((!last && inputs[g] % tile_layout::rows != 0) ||
            tile_layout{inputs[g], 1, 1}.planes() != planes) {
            return false;
        }
    }
    return component == kernels::component::i8;
}

std::size_t corner_params::bytes(std::size_t d, spectra_layout layout) const
{
    return layout == spectra_layout::tensor_tiles
               ? tile_layout{all_inputs(), channels[d], block_spectra}.bytes()
               : channels[d] * all_inputs() * block_spectra * 2 *
                     kernels::component_bytes(component);
}

std::vector<corner_slab>
corner_slabs(const corner_params& p, std::size_t g, std::size_t d, spectra_layout layout)
{
    const std::size_t channels = p.channels[d], first = p.first_channel(d);
    if (layout != spectra_layout::tensor_tiles) {
        const std::size_t series = p.block_spectra * 2 * component_bytes(p.component);
        const std::size_t width = p.inputs[g] * series;
        return {{first * width,
                 width,
                 p.first_input(g) * series,
                 p.all_inputs() * series,
                 width,
                 channels}};
    }
    const tile_layout from{p.inputs[g], p.all_channels(), p.block_spectra};
    const tile_layout to{p.all_inputs(), channels, p.block_spectra};
    const std::size_t before = p.first_input(g) / tile_layout::rows;
    // The planes, and the flags where there are any: both [channel][time / 128]...
    const std::size_t wide = from.input_groups() * tile_layout::group;
    const std::size_t lines = from.time_groups() * from.planes();
    std::vector<corner_slab> slabs{{first * lines * wide,
                                    wide,
                                    before * tile_layout::group,
                                    to.input_groups() * tile_layout::group,
                                    wide,
                                    channels * lines}};
    if (to.planes() == 3) {
        slabs.push_back(
            {from.flags_offset() + first * from.time_groups() * from.input_groups(),
             from.input_groups(),
             to.flags_offset() + before,
             to.input_groups(),
             from.input_groups(),
             channels * from.time_groups()});
    }
    return slabs;
}

} // namespace gr::fringe
