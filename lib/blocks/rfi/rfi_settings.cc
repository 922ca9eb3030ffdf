/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/rfi/rfi_settings.h"
#include "blocks/base/block_checks.h"
#include "blocks/rfi/held_dumps.h"
#include "kernels/base/types.h"

namespace gr::fringe {

namespace {

const std::string me = "rfi_flagger";

// Two more dumps than the window: the one that is coming in, and the next.
double memory_of(const kernels::rfi_params& p, std::size_t dumps)
{
    const double dump = static_cast<double>(held_dump::bytes_per_value * p.channels *
                                            kernels::baselines(p.inputs));
    return static_cast<double>(dumps + 2) * dump +
           static_cast<double>(kernels::rfi_detector::working_memory(p, dumps));
}

} // namespace

void rfi_settings::set_observation(const observation& obs, std::size_t channels)
{
    require(
        !obs.inputs.empty(), me, "obs", "no inputs", "give an observation with antennas");
    require(channels > 0, me, "channels", channels, "must be at least 1");
    params.inputs = obs.inputs.size();
    params.channels = channels;
    for (const input& i : obs.inputs) {
        params.stations.push_back(i.antenna);
        bad.push_back(i.bad);
    }
}

void rfi_settings::set_window(std::size_t dumps,
                              std::size_t new_dumps,
                              std::size_t background_channels)
{
    require(dumps > 0, me, "window", dumps, "must be at least 1 dump");
    require(new_dumps <= dumps,
            me,
            "hop",
            new_dumps,
            "must be at most the window of " + std::to_string(dumps) +
                " dumps (0 = all of it)");
    require(background_channels >= 4,
            me,
            "background_channels",
            background_channels,
            "must be at least 4");
    window = dumps;
    hop = new_dumps > 0 ? new_dumps : dumps;
    params.window = background_channels;
}

void rfi_settings::set_detectors(const std::vector<std::string>& names, double rate)
{
    require(rate > 0 && rate <= 0.1,
            me,
            "false_alarm_rate",
            rate,
            "must be more than 0 and at most 0.1");
    params.rate = rate;
    params.median = params.threshold = params.power = names.empty();
    for (const std::string& name : names) {
        bool* const detector = name == "median"      ? &params.median
                               : name == "threshold" ? &params.threshold
                               : name == "power"     ? &params.power
                                                     : nullptr;
        require(detector, me, "detectors", name, "must be of median, threshold, power");
        *detector = true;
    }
}

void rfi_settings::set_least_left(double part)
{
    require(part >= 0 && part < 1, me, "least_left", part, "must be 0 to less than 1");
    least_left = part;
}

void rfi_settings::set_masks(
    const observation& obs,
    bool complex_samples,
    const std::vector<std::pair<double, double>>& bands,
    const std::vector<std::pair<std::string, std::string>>& times)
{
    for (const auto& [from, to] : bands) {
        require(from < to,
                me,
                "mask_frequencies",
                std::to_string(from) + " to " + std::to_string(to) + " Hz",
                "a band goes from its lower to its upper end");
    }
    require(bands.empty() || obs.sample_rate > 0,
            me,
            "mask_frequencies",
            "the observation has no sample_rate",
            "give it, and center_frequency, so that channels have frequencies");
    mask.bands = bands;
    masked_channels.assign(params.channels, 0);
    if (!bands.empty()) {
        masked_channels = kernels::masked_channels(
            mask, obs.channel_frequencies(params.channels, complex_samples));
    }
    for (const auto& [from, to] : times) {
        mask.times.emplace_back(epoch::from_iso(from), epoch::from_iso(to));
        require(mask.times.back().first < mask.times.back().second,
                me,
                "mask_times",
                from + " to " + to,
                "a time goes from its beginning to its end");
    }
}

void rfi_settings::check_memory(double maximum) const
{
    std::size_t fits = window;
    while (fits > 0 && memory_of(params, fits) > maximum) {
        --fits;
    }
    const auto megabytes = [](double bytes) {
        return std::to_string(static_cast<std::uint64_t>(bytes / 1e6) + 1) + " MB";
    };
    require(fits == window,
            me,
            "window",
            window,
            "so many dumps of " + std::to_string(params.inputs) + " inputs and " +
                std::to_string(params.channels) + " channels take " +
                megabytes(memory_of(params, window)) + ", `memory` allows " +
                megabytes(maximum) +
                (fits > 0 ? ", in which " + std::to_string(fits) + " fit"
                          : "; flag groups of channels, each with a flagger of its own"));
}

} // namespace gr::fringe
