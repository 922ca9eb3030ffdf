/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of xengine.
#include "blocks/base/block_checks.h"
#include "blocks/base/memory_checks.h"
#include "blocks/stages/xengine_impl.h"
#include "blocks/stages/xengine_params.h"
#include "stages/choose_target.h"

namespace gr::fringe {

xengine::sptr xengine::make(std::size_t inputs,
                            std::size_t channels,
                            std::size_t block_spectra,
                            const std::string& component,
                            std::uint64_t sum_spectra,
                            double dump_seconds,
                            std::uint64_t dump_spectra,
                            std::size_t channels_per_item,
                            const std::string& backend)
{
    const auto p =
        xengine_params_of(inputs, channels, block_spectra, component, sum_spectra);
    const auto target = choose_target(backend);
    if (target.kind != kernels::backend::cuda) {
        require_memory_for_sums("xengine", inputs, channels, sizeof(std::complex<float>));
    }
    return gnuradio::make_block_sptr<xengine_impl>(
        p,
        sum_spectra,
        dump_seconds,
        dump_spectra,
        item_channels("xengine", channels_per_item, inputs, channels),
        target);
}

} // namespace gr::fringe
