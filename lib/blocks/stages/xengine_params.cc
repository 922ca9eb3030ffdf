/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/xengine_params.h"
#include "blocks/base/block_checks.h"

namespace gr::fringe {

namespace {

const std::string me = "xengine";

} // namespace

kernels::xengine_params xengine_params_of(std::size_t inputs,
                                          std::size_t channels,
                                          std::size_t block_spectra,
                                          const std::string& component,
                                          std::uint64_t sum_spectra)
{
    kernels::xengine_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.in = kernels::component_from_name(component);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(sum_spectra > 0, me, "sum_spectra", sum_spectra, "must be at least 1");
    require(
        p.in != kernels::component::i8 ||
            sum_spectra <= kernels::xengine::max_exact_spectra,
        me,
        "sum_spectra",
        sum_spectra,
        "int32 sums of int8 products are exact up to 65535 spectra; the integrator adds "
        "them up further");
    return p;
}

} // namespace gr::fringe
