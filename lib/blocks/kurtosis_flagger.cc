/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Makes a kurtosis_flagger of its parameters.

#include "blocks/kurtosis_flagger_impl.h"
#include "stages/choose_target.h"

namespace gr {
namespace fringe {

namespace {

const std::string me = "kurtosis_flagger";

} // namespace

kurtosis_flagger::sptr kurtosis_flagger::make(std::size_t inputs,
                                              std::size_t channels,
                                              std::size_t block_spectra,
                                              const std::string& component,
                                              std::size_t window,
                                              double false_alarm,
                                              bool per_input,
                                              bool combined,
                                              bool power,
                                              bool zero,
                                              const std::vector<std::size_t>& mask,
                                              const std::vector<std::size_t>& bad_inputs,
                                              unsigned bits,
                                              double period,
                                              const std::string& backend)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    require(component == "f32" || component == "i8",
            me,
            "component",
            component,
            "must be f32 or i8, as the X-engine's");
    require(bits == 8 || bits == 4, me, "bits", bits, "must be 8 or 4");
    kernels::kurtosis_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.in = kernels::component_from_name(component);
    const kurtosis_search search{
        window, false_alarm, per_input, combined, power, zero, mask, bad_inputs, period};
    const auto detect = detector_of(
        me, search, inputs, channels, p.in == kernels::component::f32 ? 0 : bits);
    return gnuradio::make_block_sptr<kurtosis_flagger_impl>(
        p,
        detect,
        window_spectra(search, inputs, p.block_spectra) / p.block_spectra,
        zero,
        period,
        choose_target(backend));
}

} // namespace fringe
} // namespace gr
