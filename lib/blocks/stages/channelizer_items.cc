/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/channelizer_items.h"

namespace gr::fringe {

std::size_t voltage_bytes(const kernels::channelizer_params& p)
{
    return p.inputs * p.points() * p.block_spectra * kernels::component_bytes(p.in) *
           (p.complex_samples ? 2 : 1);
}

stream_fields voltage_fields(const kernels::channelizer_params& p)
{
    return {{"inputs", p.inputs},
            {"block_samples", p.points() * p.block_spectra},
            {"component", kernels::component_name(p.in)},
            {"complex_samples", p.complex_samples},
            {"coarse_channels", 1}};
}

std::size_t spectra_bytes(const kernels::channelizer_params& p)
{
    return p.inputs * p.channels * p.block_spectra * (p.requantize_bits ? 2 : 8);
}

stream_fields spectra_fields(const kernels::channelizer_params& p)
{
    const std::string bits =
        p.requantize_bits ? std::to_string(p.requantize_bits) : "none";
    return {{"inputs", p.inputs},
            {"channels", p.channels},
            {"block_spectra", p.block_spectra},
            {"component", p.requantize_bits ? "i8" : "f32"},
            {"requantize", bits},
            {"complex_samples", p.complex_samples},
            {"taps", p.taps},
            {"window", p.window}};
}

} // namespace gr::fringe
