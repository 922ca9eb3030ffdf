/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of channelizer.
#include "blocks/base/block_checks.h"
#include "blocks/stages/channelizer_impl.h"
#include "blocks/stages/channelizer_params.h"
#include "stages/choose_target.h"

namespace gr::fringe {

channelizer::sptr channelizer::make(std::size_t inputs,
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
                                    const std::string& backend,
                                    const tracking::sptr& towards,
                                    const std::pair<std::size_t, std::size_t>& part)
{
    const auto [first, count] = part;
    require((first == 0 && count == 0) ||
                (count >= 1 && count <= inputs && first <= inputs - count),
            "channelizer",
            "part",
            std::to_string(count) + " inputs from input " + std::to_string(first) + " on",
            "must be some of the " + std::to_string(inputs) + " inputs");
    return gnuradio::make_block_sptr<channelizer_impl>(
        channelizer_params_of(inputs,
                              channels,
                              block_spectra,
                              complex_samples,
                              component,
                              taps,
                              window,
                              requantize,
                              gains,
                              conjugate,
                              corrections,
                              towards),
        choose_target(backend),
        towards,
        input_part{first, count > 0 ? count : inputs});
}

} // namespace gr::fringe
