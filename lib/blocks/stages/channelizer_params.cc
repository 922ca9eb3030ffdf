/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/channelizer_params.h"
#include "blocks/base/block_checks.h"
#include "stages/window_steering.h"

namespace gr::fringe {

namespace {

const std::string me = "channelizer";

} // namespace

kernels::channelizer_params
channelizer_params_of(std::size_t inputs,
                      std::size_t channels,
                      std::size_t block_spectra,
                      bool complex_samples,
                      const std::string& component,
                      unsigned taps,
                      const std::string& window,
                      const std::string& requantize,
                      const std::vector<float>& gains,
                      const std::vector<bool>& conjugate,
                      const std::vector<std::complex<float>>& corrections,
                      const tracking::sptr& towards)
{
    require(requantize == "none" || requantize == "8" || requantize == "4",
            me,
            "requantize",
            requantize,
            "must be none, 8 or 4");
    kernels::channelizer_params p;
    p.inputs = inputs;
    p.channels = channels;
    p.block_spectra = item_spectra(block_spectra, inputs, channels);
    p.complex_samples = complex_samples;
    p.in = kernels::component_from_name(component);
    p.taps = taps;
    p.window = window;
    p.requantize_bits = requantize == "none" ? 0 : requantize == "8" ? 8 : 4;
    p.gains = gains.size() == 1 ? std::vector<float>(inputs, gains[0]) : gains;
    p.conjugate.assign(conjugate.begin(), conjugate.end());
    p.corrections = corrections;
    p.max_shift_samples = window_steering::max_shift_samples(towards);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    return p;
}

} // namespace gr::fringe
