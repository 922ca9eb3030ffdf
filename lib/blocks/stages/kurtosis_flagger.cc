/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Makes a kurtosis_flagger of its parameters.

#include "blocks/stages/kurtosis_flagger_impl.h"
#include "stages/choose_target.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe {

namespace {

const std::string me = "kurtosis_flagger";

std::size_t sum_of(const std::vector<std::size_t>& parts)
{
    return std::accumulate(parts.begin(), parts.end(), std::size_t(0));
}

} // namespace

std::vector<kurtosis_flagger::sptr>
kurtosis_flagger::make_parts(std::size_t inputs,
                             const std::vector<std::size_t>& channels,
                             std::size_t block_spectra,
                             const std::string& component,
                             const kurtosis_search& search,
                             unsigned bits,
                             const std::vector<std::string>& backends)
{
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(!channels.empty() &&
                std::find(channels.begin(), channels.end(), 0u) == channels.end(),
            me,
            "channels",
            sum_of(channels),
            "must be at least 1");
    require(backends.size() == channels.size(),
            me,
            "backends",
            backends.size(),
            "must be one for each part of the channels");
    check_component(me, component);
    require(bits == 8 || bits == 4, me, "bits", bits, "must be 8 or 4");
    const auto detect =
        detector_of(me, search, inputs, sum_of(channels), component == "f32" ? 0 : bits);
    const auto decisions =
        std::make_shared<shared_decisions>(detect, search.period, channels);
    std::vector<sptr> made;
    for (std::size_t part = 0; part < channels.size(); ++part) {
        kernels::kurtosis_params p;
        p.inputs = inputs;
        p.channels = channels[part];
        p.block_spectra = item_spectra(block_spectra, inputs, sum_of(channels));
        p.in = kernels::component_from_name(component);
        made.push_back(gnuradio::make_block_sptr<kurtosis_flagger_impl>(
            p,
            detect.clip,
            decisions,
            part,
            window_spectra(search, inputs, p.block_spectra) / p.block_spectra,
            search.drop,
            choose_target(backends[part])));
    }
    return made;
}

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
    const kurtosis_search search{
        window, false_alarm, per_input, combined, power, zero, mask, bad_inputs, period};
    return make_parts(
               inputs, {channels}, block_spectra, component, search, bits, {backend})
        .front();
}

} // namespace gr::fringe
