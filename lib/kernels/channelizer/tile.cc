/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/tile.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

//! A line more than needed, lest rows fall on the same lines of the cache.
std::size_t stride_of(const channelizer_params& p)
{
    const std::size_t line = 64 / spectra_sample_bytes(p);
    return (p.channels + line - 1) / line * line + line;
}

} // namespace

std::size_t spectra_together(const channelizer_params& p)
{
    const std::size_t element = spectra_sample_bytes(p), line = 64 / element;
    const std::size_t fit = 131072 / (stride_of(p) * element) / line * line;
    return std::min({std::clamp(fit, line, 8 * line), p.block_spectra, max_tile_spectra});
}

spectra_tile::spectra_tile(const channelizer_params& p)
    : d_channels(p.channels),
      d_element(spectra_sample_bytes(p)),
      d_stride(stride_of(p)),
      d_memory(p.layout == spectra_layout::channel_major
                   ? spectra_together(p) * d_stride * d_element
                   : 0)
{
}

void spectra_tile::turn(std::size_t count,
                        const std::vector<run_of_bins>& runs,
                        const row_factors& factors,
                        const row_turn* turns,
                        std::uint8_t* out,
                        std::size_t out_stride) const
{
    if (d_element == 2) {
        corner_turn_2({d_memory.data(), d_stride, count}, d_channels, out, out_stride);
        return;
    }
    for (const auto& run : runs) {
        corner_turn_8({d_memory.data() + run.bin * d_element, d_stride, count},
                      run.count,
                      factors.from(run.channel),
                      turns,
                      out + run.channel * out_stride * d_element,
                      out_stride);
    }
}

} // namespace gr::fringe::kernels
