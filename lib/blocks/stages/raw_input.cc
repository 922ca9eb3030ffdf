/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/raw_input.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/upstream.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <chrono>
#include <numeric>

namespace gr::fringe {

namespace {

const std::string me = "unpack";
const std::string reconfigured = "reconfigured";

kernels::component chosen_component(const kernels::encoding& e, const std::string& name)
{
    const auto c = name == "auto" ? e.natural : kernels::component_from_name(name);
    require(e.holds(c),
            me,
            "component",
            name,
            "cannot hold the values of format " + e.name + "; \"" +
                kernels::component_name(e.natural) + "\" or wider can");
    return c;
}

// [place in the recording] -> input, from [input] -> place.
std::vector<std::size_t> rows_of(const std::vector<std::size_t>& streams,
                                 std::size_t inputs)
{
    std::vector<std::size_t> rows(inputs);
    if (streams.empty()) {
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }
    require(streams.size() == inputs,
            me,
            "streams",
            std::to_string(streams.size()) + " values",
            "give one for each of the " + std::to_string(inputs) + " inputs, or none");
    std::fill(rows.begin(), rows.end(), inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        require(streams[i] < inputs && rows[streams[i]] == inputs,
                me,
                "streams",
                streams[i],
                "every place 0 ... " + std::to_string(inputs - 1) + " must be used once");
        rows[streams[i]] = i;
    }
    return rows;
}

} // namespace

kernels::unpacker_params unpacker_params_of(const std::string& format,
                                            std::size_t inputs,
                                            std::size_t block_samples,
                                            const std::string& component,
                                            std::size_t files,
                                            const std::vector<std::size_t>& streams)
{
    const kernels::encoding& e = io::encoding_by_name(format);
    require(inputs > 0, me, "inputs", inputs, "must be at least 1");
    require(block_samples > 0 && block_samples * e.bits % 8 == 0,
            me,
            "block_samples",
            block_samples,
            "must make whole bytes of samples of " + std::to_string(e.bits) + " bits");
    require(files > 0 && inputs % files == 0,
            me,
            "files",
            files,
            "must divide the " + std::to_string(inputs) + " inputs");
    kernels::unpacker_params p;
    p.from = e;
    p.to = chosen_component(e, component);
    p.block_samples = block_samples;
    p.files = files;
    p.rows = rows_of(streams, inputs);
    return p;
}

std::vector<invalid_run> runs_of_inputs(std::vector<invalid_run> runs,
                                        const std::vector<std::size_t>& rows)
{
    for (invalid_run& r : runs) {
        r.input = r.input < rows.size() ? rows[r.input] : rows.size();
    }
    return runs;
}

raw_input::raw_input(gr::block& block,
                     std::size_t inputs,
                     std::function<loss_counter::counts(bool)> counts)
    : d_block(block),
      d_inputs(inputs),
      d_counts(std::move(counts)),
      d_losses(block, {"saturated"}, inputs),
      d_watch("", 1)
{
}

void raw_input::start(gr::logger_ptr logger)
{
    const auto before = upstream(d_block);
    d_watched = std::any_of(before.begin(), before.end(), [](const gr::block_sptr& b) {
        return dynamic_cast<const watched_source*>(b.get()) != nullptr;
    });
    d_taken = 0;
    d_logger = logger;
    if (!d_watched) {
        d_watch.start(logger);
    }
}

void raw_input::stop()
{
    d_watch.stop();
    tell_end();
}

void raw_input::waiting(bool there)
{
    d_watch.waiting(0, !there);
    if (there) {
        d_watch.arrived(0);
    }
}

// The samples between those of the last run and the first of this one never came.
void raw_input::follow(const item_tags& tags)
{
    const bool goes_on = d_time.started() && d_taken == 0 && d_next > 0;
    if (goes_on && !tags.rx_time) {
        d_logger->warn(
            "the flowgraph goes on after a change, and the source does not say "
            "when its samples do (rx_time): what GNU Radio dropped makes times "
            "wrong");
    }
    if (const auto start = tags.start(d_time)) {
        const std::uint64_t first = d_time.begin(start->time, start->rate, d_next);
        if (goes_on && first > d_next) {
            d_logger->warn("gap: {:d} samples of every input ({:.6f} s) are missing: GNU "
                           "Radio dropped what was on its way when the flowgraph was "
                           "changed",
                           first - d_next,
                           static_cast<double>(first - d_next) / start->rate);
            for (std::size_t i = 0; i < d_inputs; ++i) {
                d_losses.add(reconfigured, i, first - d_next);
            }
        }
        d_next = first;
    }
}

void raw_input::took(const item_tags& tags, std::uint64_t samples)
{
    follow(tags);
    if (d_taken == 0 && !d_watched) {
        d_watch.began(std::to_string(d_inputs) + (d_inputs == 1 ? " input" : " inputs"),
                      tags.rx_rate.value_or(0),
                      tags.rx_time.value_or(epoch()).iso(6));
    }
    d_taken += samples;
    d_next += samples;
    d_watch.passed(samples);
}

void raw_input::look(bool late)
{
    for (auto& [cause, counts] : d_counts(late)) {
        d_losses.set(cause, counts);
    }
}

void raw_input::tell()
{
    // A copy of the counts: not for every item.
    const auto now = std::chrono::steady_clock::now();
    if (now - d_looked >= std::chrono::seconds(1)) {
        look(true);
        d_looked = now;
    }
    d_losses.tell(d_taken);
}

void raw_input::tell_end()
{
    look(false);
    d_losses.tell_end(d_taken);
}

loss_counter::counts raw_input::losses() const
{
    auto known = d_losses.by_cause();
    for (auto& [cause, counts] : d_counts(false)) {
        known[cause] = counts;
    }
    return known;
}

} // namespace gr::fringe
