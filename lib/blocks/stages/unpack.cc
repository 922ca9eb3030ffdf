/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The parameters of unpack.
#include "blocks/base/block_checks.h"
#include "blocks/stages/unpack_impl.h"
#include "stages/choose_target.h"
#include <algorithm>

namespace gr::fringe {

static const std::string me = "unpack";

// Samples of an item: those of a block, or what is asked for.
static std::size_t samples_of_item(const kernels::unpacker_params& p,
                                   std::size_t asked,
                                   const std::vector<kernels::compute_target>& backends)
{
    const std::size_t samples = asked > 0 ? asked : p.block_samples;
    require(p.block_samples % samples == 0 && samples * p.from.bits % 8 == 0,
            me,
            "item_samples",
            samples,
            "must divide the " + std::to_string(p.block_samples) +
                " samples of a block, and make whole bytes");
    const bool on_gpus =
        std::all_of(backends.begin(), backends.end(), [](const auto& where) {
            return where.kind == kernels::backend::cuda;
        });
    require(samples == p.block_samples || on_gpus,
            me,
            "item_samples",
            samples,
            "blocks are gathered from items on a GPU only; take 0 on a CPU");
    return samples;
}

// The unpacks of a format that take blocks in turn.
static std::vector<unpack::sptr>
unpacks_of(const kernels::unpacker_params& p,
           std::size_t item_samples,
           const std::vector<kernels::compute_target>& backends,
           std::size_t mean_blocks,
           std::size_t history)
{
    const auto counters = std::make_shared<shared_counters>();
    std::vector<unpack::sptr> all;
    for (std::size_t n = 0; n < backends.size(); ++n) {
        all.push_back(gnuradio::make_block_sptr<unpack_impl>(
            p,
            item_samples,
            backends[n],
            mean_blocks,
            item_turns{n, backends.size(), history, p.block_samples},
            counters));
    }
    return all;
}

unpack::sptr unpack::make(const std::string& format,
                          std::size_t inputs,
                          std::size_t block_samples,
                          const std::string& component,
                          std::size_t files,
                          const std::vector<std::size_t>& streams,
                          const std::string& backend,
                          std::size_t mean_blocks,
                          std::size_t item_samples)
{
    const auto which = choose_target(backend);
    const bool mean = mean_blocks > 0;
    require(!mean || component == "auto" || component == "f32",
            me,
            "component",
            component,
            "voltages less their mean are \"f32\"");
    const auto p = unpacker_params_of(
        format, inputs, block_samples, mean ? "f32" : component, files, streams);
    const std::vector<kernels::compute_target> where{
        mean && which.kind != kernels::backend::generic ? kernels::compute_target()
                                                        : which};
    return unpacks_of(p, samples_of_item(p, item_samples, where), where, mean_blocks, 0)
        .front();
}

std::vector<unpack::sptr> unpack::make_turns(const std::string& format,
                                             std::size_t inputs,
                                             std::size_t block_samples,
                                             std::size_t files,
                                             const std::vector<std::size_t>& streams,
                                             const std::vector<std::string>& backends,
                                             std::size_t kept_samples,
                                             std::size_t item_samples,
                                             const std::string& component)
{
    require(!backends.empty(), me, "backends", "none", "name at least one");
    std::vector<kernels::compute_target> targets;
    for (const std::string& backend : backends) {
        targets.push_back(choose_target(backend));
    }
    const auto p =
        unpacker_params_of(format, inputs, block_samples, component, files, streams);
    return unpacks_of(
        p, samples_of_item(p, item_samples, targets), targets, 0, kept_samples);
}

} // namespace gr::fringe
