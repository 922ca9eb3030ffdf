/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/lanes.h"

namespace gr::fringe::kernels {

namespace {

const std::string me = "xengine";

//! Lanes are fastest. Along time there are as many products in a multiplication of int16 as
//! in two of float32, which counts in blocks with time enough, and with many inputs.
bool lanes_serve(const xengine_params& p, std::size_t long_block)
{
    return p.in == component::f32 ||
           (p.inputs <= max_whole_inputs && p.block_spectra < long_block);
}

} // namespace

void xengine::accumulate_blocks(const std::vector<const void*>& blocks,
                                std::size_t spectra)
{
    for (const void* block : blocks) {
        accumulate(block, 0, spectra);
    }
}

void check_spectra(const xengine_params& p, std::size_t first, std::size_t count)
{
    require_range(me, "spectra", first, count, p.block_spectra);
}

void check_channels(const xengine_params& p, std::size_t first, std::size_t count)
{
    require_range(me, "channels", first, count, p.channels);
}

void check_exact(std::size_t spectra)
{
    if (spectra > xengine::max_exact_spectra) {
        throw std::overflow_error(
            "xengine: int32 sums hold at most " +
            std::to_string(xengine::max_exact_spectra) +
            " spectra of int8 samples; read and clear them before there are " +
            std::to_string(spectra));
    }
}

spectra_layout cpu_layout(const xengine_params& p)
{
    // Of int8, lanes and vectors along time are equally fast with blocks of 64 spectra (8
    // to 64 inputs), which saves the corner turn; with 256 those along time take half as
    // long. With many inputs a spectrum is brought to several tiles, from whole lines of the
    // cache if the corner turn has been made.
    return p.inputs <= max_whole_inputs && lanes_serve(p, 128)
               ? spectra_layout::time_major
               : spectra_layout::channel_major;
}

device_xengine_factory& xengine_factory()
{
    static device_xengine_factory the_factory;
    return the_factory;
}

spectra_layout layout_of_items(const compute_target& where, const xengine_params& p)
{
    const auto layout = xengine_factory().layout.load();
    if (where.kind == backend::cpu && p.channels % 8 == 0 &&
        cpu_layout(p) == spectra_layout::time_major) {
        return spectra_layout::time_major_items;
    }
    return where.kind == backend::cuda && layout ? layout(p)
                                                 : spectra_layout::channel_major;
}

std::unique_ptr<xengine> make_xengine(const compute_target& where,
                                      const xengine_params& p)
{
    require(me,
            p.inputs >= 1 && p.inputs <= 8192,
            "inputs is " + std::to_string(p.inputs) + "; it must be 1 to 8192");
    require(me, p.channels >= 1, "channels is 0; it must be at least 1");
    require(me, p.block_spectra >= 1, "block_spectra is 0; it must be at least 1");
    require(me,
            p.in == component::f32 || p.in == component::i8,
            "in is i16; it must be f32 or i8");
    require(me,
            p.layout != spectra_layout::tensor_tiles || p.in == component::i8,
            "tiles hold int8 spectra");
    require(me,
            !is_time_major(p.layout) || where.kind == backend::cpu,
            "the layout time_major is for the backend cpu only");
    require(me,
            p.layout != spectra_layout::time_major_items || p.channels % 8 == 0,
            "the layout time_major_items is for channels by the 8");
    if (where.kind == backend::cuda) {
        return xengine_factory().make(where, p);
    }
    require(me, p.layout != spectra_layout::tensor_tiles, "tiles are for devices only");
    if (where.kind == backend::generic) {
        return make_generic_xengine(p);
    }
    if (is_time_major(p.layout) || lanes_serve(p, 64)) {
        return make_cpu_xengine_lanes(p);
    }
    return make_cpu_xengine_i8(p);
}

} // namespace gr::fringe::kernels
